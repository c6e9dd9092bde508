#pragma once

#include "rooflab/base/enum_names.hpp"

namespace rooflab::trace {

/// Whose formulae compute a pane of a trace. docs/methods/traces.md lists every difference.
enum class TraceRule {
  /// Those of PyTorch's TensorBoard plugin (torch_tb_profiler, removed in April 2026), its quirks
  /// included: for figures that are compared with older ones.
  plugin,
  /// Ours: steps of the host only, calls of the driver too, collectives by their kernels' names.
  ours,
};
constexpr auto names_in_order(For<TraceRule>) {
  return names_through<TraceRule::ours>("plugin", "ours");
}

}  // namespace rooflab::trace
