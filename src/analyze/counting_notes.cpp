// What a reader of counters must know, a sentence each.

#include "rooflab/analyze/counting_notes.hpp"

#include <utility>

#include "rooflab/analyze/counted_layers.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/plural.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::analyze {
namespace {

using record::KernelFigure;
using record::KernelSums;
using enum record::KernelFigure;

/// `4.5 GFLOP FP32, 6.5 GFLOP on tensor cores (TF32 6.5 GFLOP)`.
std::string work_by_path(const KernelSums& sums) {
  std::vector<std::string> parts;
  for (const auto& [figure, path] :
       {std::pair{fp64_flops, "FP64"}, {fp32_flops, "FP32"}, {fp16_flops, "FP16 on CUDA cores"}}) {
    const double work = sums.at(figure).value_or(0.0);
    if (work > 0.0) parts.push_back(format("{} {}", si(work, "FLOP"), path));
  }
  if (const std::optional<double> tensor = sums.at(tensor_flops)) {
    std::vector<std::string> types;
    for (const auto& [figure, operations] : sums.tensor_by_type()) {
      const record::KernelFigureFacts& type = facts_of(figure);
      if (!type.path || operations <= 0.0) continue;
      types.push_back(format("{} {}", type.word.figure().title, si(operations, "FLOP")));
    }
    parts.push_back(
        types.empty() ? "nothing on tensor cores"
                      : format("{} on tensor cores ({})", si(*tensor, "FLOP"), join(types, ", ")));
  }
  return join(parts, ", ");
}

void add_sums(const CountedLayers& counted, std::vector<std::string>& notes) {
  const CountedLayer& total = counted.total;
  const KernelSums& sums = total.sums;
  if (const std::optional<double> work = sums.at(flops)) {
    std::string text = format("counted {}: {}", si(*work, "FLOP"), work_by_path(sums));
    if (const auto ratio = total.flops_ratio()) {
      text +=
          format("; the model has {} (products {}, the rest {}): {:.3f} times as much",
                 si(*total.model_flops(), "FLOP"), si(total.model->matrix_flops.as_double(), ""),
                 si(total.model->vector_flops.as_double(), ""), *ratio);
    }
    notes.push_back(std::move(text));
  }
  if (const std::optional<double> moved = sums.at(dram_bytes)) {
    std::string text = format("DRAM moved {}", si(*moved, "B"));
    if (const auto ratio = total.bytes_ratio()) {
      text += format(", {:.2f} times the compulsory {}", *ratio,
                     si(total.model->compulsory_bytes.as_double(), "B"));
    }
    if (const auto asked = sums.at(l2_bytes)) {
      text += format("; L2 was asked for {}", si(*asked, "B"));
    }
    notes.push_back(std::move(text));
  }
  std::string step = counted.step ? step_note(*counted.step) : std::string();
  if (!step.empty()) notes.push_back(std::move(step));
}

void add_coverage(const CountedLayers& counted, std::vector<std::string>& notes) {
  const KernelSums& sums = counted.total.sums;
  for (const auto& [figure, what] :
       {std::pair{flops, "all FLOPs"}, {dram_bytes, "DRAM bytes"}, {time_s, "a time"}}) {
    if (sums.has_all(figure)) continue;
    notes.push_back(format("{} of {} kernels have {}", sums.count(figure), sums.launches, what));
  }
  if (counted.without_node > 0) {
    notes.push_back(format("{} no node of the network",
                           counted.without_node == 1
                               ? std::string("1 kernel belongs to")
                               : format("{} kernels belong to", counted.without_node)));
  }
  if (!counted.without_kernels.empty()) {
    constexpr std::size_t most = 8;
    std::vector<std::string> names = counted.without_kernels;
    const std::size_t all = names.size();
    if (all > most) names.resize(most);
    notes.push_back(format("without a kernel, though the model has work for {}: {}{}",
                           all == 1 ? "it" : "them", join(names, ", "),
                           all > most ? format(" and {} more", all - most) : ""));
  }
}

}  // namespace

std::string step_note(const KernelSums& step) {
  std::vector<std::string> parts;
  if (const std::optional<double> tensor = step.at(tensor_flops)) {
    parts.push_back(format("tensor cores {}", si(*tensor, "FLOP")));
  }
  for (const KernelFigure figure : values_of<KernelFigure>) {
    const record::KernelFigureFacts& facts = facts_of(figure);
    const std::optional<double> value = step.at(figure);
    if (is_derived(figure) || facts.shown < record::Shown::collected || !value) continue;
    const Figure& word = facts.word.figure();
    parts.push_back(format("{} {}", word.title, text_of(word, *value)));
  }
  if (parts.empty()) return {};
  return format("a whole step, its kernels concurrent: {}", join(parts, ", "));
}

std::string counting_conventions() {
  return "conventions: a multiply-accumulate is 2 FLOP, an fp16 instruction does two lanes, hfma"
         " that only move constants are left out, tensor cores count dense operations";
}

std::string counting_note(const record::Counting& counting) {
  if (counting.sets.empty()) return "kernels were timed, not counted: the warnings say why";
  std::size_t metrics = 0;
  std::size_t passes = 0;
  std::size_t whole = 0;
  std::int64_t dropped = 0;
  for (const record::CounterSet& set : counting.sets) {
    metrics += set.metrics.size();
    const auto steps = static_cast<std::size_t>(set.passes);
    passes += steps;
    if (!set.per_kernel) whole += steps;
    dropped += set.dropped;
  }
  std::string text = format(
      "counted on {} in {}, after {} of programming the counters: {} in {} pass{}, one a step, {} "
      "over"
      " a whole step, {} kernel by kernel; times are of steps without counters",
      counting.chip, si(counting.wall_s, "s"), si(counting.arming_s, "s"),
      plural(metrics, "metric"), passes, passes == 1 ? "" : "es", whole, passes - whole);
  if (dropped > 0) {
    text += format("; {} launch{} without a value, in steps unlike the others", dropped,
                   dropped == 1 ? "" : "es");
  }
  return text;
}

std::vector<std::string> CountedLayers::notes() const {
  std::vector<std::string> notes = {counting_note(counting)};
  add_sums(*this, notes);
  notes.insert(notes.end(), step_differences.begin(), step_differences.end());
  add_coverage(*this, notes);
  if (const double moves = total.sums.at(fp16_move_flops).value_or(0.0); moves > 0.0) {
    notes.push_back(
        format("hfma that only move constants would make {}: left out", si(moves, "FLOP")));
  }
  notes.push_back(counting_conventions());
  return notes;
}

}  // namespace rooflab::analyze
