#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/counted_layer.hpp"
#include "rooflab/base/note.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/record/record.hpp"

/// What the hardware counted for every node of a network, beside what the model says of it, with
/// reasons for the gaps: docs/methods/counted_layers.md.
namespace rooflab::analyze {

struct CountedLayers {
  record::Counting counting;
  /// In the model's order; then what has no row there, in order of first launch.
  std::vector<CountedLayer> layers;
  /// All kernels, which ran one after the other while they were counted: sums of those that have
  /// the figure, beside the whole model.
  CountedLayer total = {.name = "sum of kernels", .time_share = 1.0};
  /// One whole step, its kernels concurrent; without CUDA cores.
  std::optional<record::KernelSums> step;
  std::size_t without_node = 0;              ///< kernels
  std::vector<std::string> without_kernels;  ///< nodes for which the model has work
  std::vector<Note> step_differences;        ///< step against sum over kernels, a sentence each

  /// Layers with a gap in FLOPs, the largest absolute difference first; the same in bytes.
  [[nodiscard]] std::vector<const CountedLayer*> largest_flops_gaps() const;
  [[nodiscard]] std::vector<const CountedLayer*> largest_bytes_gaps() const;

  /// A whole step as one layer, where one was counted.
  [[nodiscard]] std::optional<CountedLayer> step_sum() const;

  /// FLOPs by path and bytes beside the model's, how they were counted, conventions: a sentence
  /// each.
  [[nodiscard]] std::vector<Note> notes() const;
};
[[nodiscard]] std::span<const Field> fields_of(For<CountedLayers>);

/// Joins the kernels of a record with its model by node name. `network` is the record's, before
/// precision, `model` its counts and limit. nullopt for a record whose counters were not collected
/// by Rooflab.
[[nodiscard]] std::optional<CountedLayers> counted_layers_of(const record::Record& record,
                                                             const graph::Graph* network,
                                                             const CaseResult* model);

/// The kernels, with a zero where the totals of a whole step show a tensor type without work: such
/// types are not counted kernel by kernel.
[[nodiscard]] record::KernelTable with_known_zeros(const record::KernelTable& kernels,
                                                   const record::Counting& counting);

}  // namespace rooflab::analyze
