#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/counted_layers.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/record/kernel_table.hpp"

namespace rooflab::analyze {

/// Evidence for the cause of a gap in one layer.
struct GapEvidence {
  const CountedLayer& layer;
  const record::KernelTable& kernels;
  std::span<const std::size_t> forward;   ///< rows of the layer's launches outside backward
  std::span<const std::size_t> backward;  ///< rows of its launches in backward
  const graph::Graph* network;            ///< may be nullptr
  const graph::Node* node;                ///< nullptr: loss, optimizer, unknown
  Flops forward_matrix_flops;             ///< modelled
  Flops backward_matrix_flops;
  Precision precision;
  bool trains;
  std::optional<double> l2_capacity;  ///< B, of the device file
};

/// Gap between counted and modelled FLOPs; nullopt where they differ by at most 5 %, or one is not
/// known.
[[nodiscard]] std::optional<Gap> flops_gap_of(const GapEvidence& evidence);
/// Gap between counted and modelled bytes; nullopt where they differ by at most 20 %, or one is not
/// known.
[[nodiscard]] std::optional<Gap> bytes_gap_of(const GapEvidence& evidence);

/// Points of a layer above the device's roofs, with explanations.
[[nodiscard]] std::vector<RoofBreach> breaches_of(const CountedLayer& layer,
                                                  const CaseResult& model);

}  // namespace rooflab::analyze
