// Which ranges are steps.
//
// PyTorch's profiler calls them `ProfilerStep#N`, and nothing else is one in its traces. Where the
// ranges are the program's own (record/trace_source.hpp), the program named them. A name is split
// into a stem and a number:
//
//   name                   stem     number
//   ProfilerStep#3         profilerstep   3
//   step 3, Step_3, step[3], step: 3     step   3
//   train_step             train_step     none
//
// The stems below mark steps, the first one of the list that the trace has: where both `step 3` and
// `batch 7` are there, a batch is part of a step.
//
// When it is wrong: a program that nests ranges of one stem (gradient accumulation that calls the
// outer range and the inner one `step`) has steps inside of steps; one that calls its steps by
// another word has none, and its trace is one piece.

#include "step_mark.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>

#include "record/trace_source.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::trace {
namespace {

constexpr std::string_view profiler_step = "ProfilerStep#";

constexpr std::array<std::string_view, 12> stems = {
    "profilerstep",   "step",       "train_step", "training_step",
    "inference_step", "eval_step",  "iteration",  "train_iteration",
    "iter",           "train_iter", "batch",      "train_batch"};

/// Where the number of `name` begins, or its end.
std::size_t number_begin(std::string_view name) {
  std::size_t end = name.size();
  while (end > 0 && (name[end - 1] == ']' || name[end - 1] == ')')) --end;
  std::size_t begin = end;
  while (begin > 0 && is_digit(name[begin - 1])) --begin;
  return begin == end ? name.size() : begin;
}

/// The name without its number and what is between, in lower case, words joined by `_`.
std::string stem_of_range(std::string_view name) {
  std::string_view words = name.substr(0, number_begin(name));
  constexpr std::string_view between = " #_-:=[(./";
  const std::size_t last = words.find_last_not_of(between);
  words = words.substr(0, last == std::string_view::npos ? 0 : last + 1);
  std::string stem = lowercase(words);
  std::ranges::replace(stem, ' ', '_');
  std::ranges::replace(stem, '-', '_');
  return stem;
}

}  // namespace

std::string_view step_number_of(std::string_view name) {
  if (name.starts_with(profiler_step)) return name.substr(profiler_step.size());
  const std::size_t begin = number_begin(name);
  const std::size_t end = name.find_first_not_of("0123456789", begin);
  return name.substr(begin, end == std::string_view::npos ? end : end - begin);
}

StepMark step_mark_of(const record::Trace& trace) {
  const record::NameTable& names = trace.ranges.names;
  StepMark mark;
  mark.is_step.resize(names.size());
  if (!record::facts_of(trace).program_ranges) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      mark.is_step[i] = names[static_cast<record::NameTable::Id>(i)].starts_with(profiler_step);
    }
    return mark;
  }
  // Calls of CUDA have names too, but none is called a step.
  std::size_t best = stems.size();
  std::vector<std::size_t> stem(names.size(), stems.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string text = stem_of_range(names[static_cast<record::NameTable::Id>(i)]);
    stem[i] = static_cast<std::size_t>(std::ranges::find(stems, text) - stems.begin());
    best = std::min(best, stem[i]);
  }
  if (best == stems.size()) return mark;
  for (std::size_t i = 0; i < names.size(); ++i) mark.is_step[i] = stem[i] == best;
  return mark;
}

}  // namespace rooflab::trace
