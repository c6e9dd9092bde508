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

/// What a gap of one layer is judged by.
struct GapEvidence {
  const CountedLayer& layer;
  const record::KernelTable& kernels;
  std::span<const std::size_t> forward;   ///< rows of the layer's launches, all but backward's
  std::span<const std::size_t> backward;  ///< likewise
  const graph::Graph* network;            ///< may be nullptr
  const graph::Node* node;                ///< nullptr: loss, optimizer, unknown
  Flops forward_matrix_flops;             ///< modelled
  Flops backward_matrix_flops;
  Precision precision;
  bool trains;
  std::optional<double> l2_capacity;  ///< B, of the device file
};

/// nullopt where the figures are within 5 % or one of them is not known.
[[nodiscard]] std::optional<Gap> flops_gap_of(const GapEvidence& evidence);
/// Within 20 %.
[[nodiscard]] std::optional<Gap> bytes_gap_of(const GapEvidence& evidence);

/// Where a layer's points lie above the device's roofs, and why.
[[nodiscard]] std::vector<RoofBreach> breaches_of(const CountedLayer& layer,
                                                  const CaseResult& model);

}  // namespace rooflab::analyze
