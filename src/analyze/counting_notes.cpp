// What a reader of counters must know.

#include "counting_notes.hpp"

#include <utility>

#include "base/format.hpp"
#include "notes/analyze_notes.hpp"
#include "rooflab/analyze/counted_layers.hpp"

namespace rooflab::analyze {
namespace {

using record::KernelFigure;
using record::KernelSums;
using enum record::KernelFigure;

/// `4.5 GFLOP FP32`, `6.5 GFLOP on tensor cores (TF32 6.5 GFLOP)`.
std::vector<std::string> work_by_path(const KernelSums& sums) {
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
  return parts;
}

void add_sums(const CountedLayers& counted, std::vector<Note>& notes) {
  const CountedLayer& total = counted.total;
  const KernelSums& sums = total.sums;
  if (const std::optional<double> work = sums.at(flops)) {
    Note& note = notes.emplace_back(Note{says.counted_work, {*work, work_by_path(sums)}});
    if (const auto ratio = total.flops_ratio()) {
      note.values.insert(note.values.end(),
                         {*total.model_flops(), total.model->matrix_flops.as_double(),
                          total.model->vector_flops.as_double(), *ratio});
    }
  }
  if (const std::optional<double> moved = sums.at(dram_bytes)) {
    const auto ratio = total.bytes_ratio();
    notes.push_back(
        {says.counted_traffic,
         {*moved, ratio, ratio ? NoteValue(total.model->compulsory_bytes.as_double()) : NoteValue(),
          sums.at(l2_bytes)}});
  }
  if (const auto step = counted.step ? step_note(*counted.step) : std::nullopt) {
    notes.push_back(*step);
  }
}

void add_coverage(const CountedLayers& counted, std::vector<Note>& notes) {
  const KernelSums& sums = counted.total.sums;
  for (const auto& [figure, what] :
       {std::pair{flops, "all FLOPs"}, {dram_bytes, "DRAM bytes"}, {time_s, "a time"}}) {
    if (sums.has_all(figure)) continue;
    notes.push_back({says.kernels_without_figure, {sums.count(figure), sums.launches, what}});
  }
  if (counted.without_node > 0) {
    notes.push_back({says.kernels_without_node, {counted.without_node}});
  }
  if (!counted.without_kernels.empty()) {
    notes.push_back({says.layers_without_kernel, {counted.without_kernels}});
  }
}

}  // namespace

std::optional<Note> step_note(const KernelSums& step) {
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
  if (parts.empty()) return std::nullopt;
  return Note{says.counted_step, {parts}};
}

std::vector<Note> counting_notes(const record::Counting& counting) {
  if (counting.sets.empty()) return {{says.only_timed}};
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
  std::vector<Note> notes = {{says.counted,
                              {counting.chip, counting.wall_s, counting.arming_s, metrics, passes,
                               whole, passes - whole}}};
  if (dropped > 0) notes.push_back({says.launches_dropped, {dropped}});
  return notes;
}

std::vector<Note> CountedLayers::notes() const {
  std::vector<Note> notes = counting_notes(counting);
  add_sums(*this, notes);
  notes.insert(notes.end(), step_differences.begin(), step_differences.end());
  add_coverage(*this, notes);
  if (const double moves = total.sums.at(fp16_move_flops).value_or(0.0); moves > 0.0) {
    notes.push_back({says.constant_moves_left_out, {moves}});
  }
  notes.push_back({says.counting_conventions});
  return notes;
}

}  // namespace rooflab::analyze
