// Kernels that only convert layouts.
//
//   trace   kernels whose names say so (trace/kernel_purpose.cpp), over the time of all kernels.
//           Worth: their time, which channels-last data would save.
//   predicted, measured   the share of the device's time in kinds of convolutions of channels-first
//           data on tensor cores, whose conversions are in their measured times. Worth: each operand
//           and result is read and written once more, 2 * (compulsory bytes of the convolutions) /
//           bandwidth, at most what the convolutions take above their limit. Unknown without a
//           bandwidth.
//
// Source: NVIDIA, "Deep Learning Performance: Convolutional Layers User's Guide", tensor layouts.
// When it is wrong: convolutions with few channels are faster channels-first, and ops without a
// channels-last kernel convert once more.

#include <algorithm>

#include "rooflab/base/text.hpp"
#include "rules.hpp"
#include "trace/kernel_purpose.hpp"

namespace rooflab::findings {

void add_layout_conversion(const TraceFacts& trace, FindingList& found) {
  const double conversion_ns = total_ns(trace.work.conversions);
  if (trace.kernel_share(conversion_ns) < row_of(FindingKind::layout_conversion).least) return;
  std::vector<std::pair<std::string, double>> kinds;  // the longest kernel's first
  for (const trace::StepKernel& kernel : trace.work.conversions) {
    const std::string name(trace::layout_conversion_of(kernel.name));
    const auto known = std::ranges::find(kinds, name, [](const auto& kind) { return kind.first; });
    if (known == kinds.end()) {
      kinds.emplace_back(name, kernel.time_ns);
    } else {
      known->second += kernel.time_ns;
    }
  }
  std::vector<std::string> names;
  for (const auto& kind : kinds) {
    names.push_back(format("{} {:.1f} %", kind.first, 100.0 * trace.kernel_share(kind.second)));
  }
  found.add(FindingKind::layout_conversion, {trace.kernel_share(conversion_ns), names, {}},
            conversion_ns * seconds_per_ns);
}

namespace {

/// `conv2d.forward.tf32.nchw`
bool converts(const std::string& kind) {
  return kind.starts_with("conv") && kind.ends_with(".nchw") &&
         (kind.find(".tf32.") != std::string::npos || kind.find(".bf16.") != std::string::npos ||
          kind.find(".fp16.") != std::string::npos);
}

}  // namespace

void add_layout_conversion(const NetworkFacts& network, FindingList& found) {
  if (!network.result.has_interval()) return;
  double share = 0.0;
  for (const predict::KindShare& kind : network.result.prediction->kinds) {
    if (converts(kind.kind)) share += kind.share;
  }
  if (share < row_of(FindingKind::layout_conversion).least) return;
  double bytes = 0.0;
  double above_s = 0.0;
  for (const analyze::LayerRow& row : network.result.layers) {
    if (!row.op.starts_with("conv")) continue;
    bytes += 2.0 * row.compulsory_bytes.as_double();
    above_s += network.above_limit_s(row);
  }
  const std::optional<double> bandwidth = network.bandwidth();
  found.add(FindingKind::layout_conversion, {{}, {}, share},
            bandwidth ? std::optional(std::min(bytes / *bandwidth, above_s)) : std::nullopt,
            network.with("--channels-last"));
}

}  // namespace rooflab::findings
