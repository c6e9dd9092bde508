// Kernels that only convert layouts.
//
//   trace, counters   kernels whose names say so (trace/kernel_purpose.cpp), over the time of all
//   kernels.
//           Worth: their time, which channels-last data would save.
//   predicted, measured   the share of the device's time in kinds of convolutions of channels-first
//           data on tensor cores, whose conversions are in their measured times. Worth: each
//           operand and result is read and written once more, 2 * (compulsory bytes of the
//           convolutions) / bandwidth, at most what the convolutions take above their limit.
//           Unknown without a bandwidth.
//
// Source: NVIDIA, "Deep Learning Performance: Convolutional Layers User's Guide", tensor layouts.
// When it is wrong: convolutions with few channels are faster channels-first, and ops without a
// channels-last kernel convert once more.

#include <algorithm>

#include "rooflab/base/text.hpp"
#include "rules.hpp"
#include "trace/kernel_purpose.hpp"

namespace rooflab::findings {

namespace {

/// Time in kernels of each purpose, the first seen first.
class Conversions {
 public:
  void add(const std::string& kernel, double time) {
    const std::string name(trace::layout_conversion_of(kernel));
    if (name.empty()) return;
    all_ += time;
    const auto known = std::ranges::find(kinds_, name, [](const auto& kind) { return kind.first; });
    if (known == kinds_.end()) {
      kinds_.emplace_back(name, time);
    } else {
      known->second += time;
    }
  }
  /// `whole`: time of all kernels, in the unit of the others.
  void add_finding(double whole, double in_seconds, FindingList& found) const {
    if (all_ / whole < row_of(FindingKind::layout_conversion).least) return;
    std::vector<std::string> names;
    for (const auto& [name, time] : kinds_) {
      names.push_back(format("{} {:.1f} %", name, 100.0 * time / whole));
    }
    found.add(FindingKind::layout_conversion, {all_ / whole, names, {}}, all_ * in_seconds);
  }

 private:
  std::vector<std::pair<std::string, double>> kinds_;
  double all_ = 0.0;
};

}  // namespace

void add_layout_conversion(const TraceFacts& trace, FindingList& found) {
  Conversions conversions;
  for (const trace::StepKernel& kernel : trace.work.conversions) {
    conversions.add(kernel.name, kernel.time_ns);
  }
  conversions.add_finding(trace.work.kernel_ns, seconds_per_ns, found);
}

void add_layout_conversion(const CounterFacts& counters, FindingList& found) {
  if (counters.imported.trace) return;  // which says it by the step
  Conversions conversions;
  for (const analyze::KernelGroup& group : counters.imported.kernels) {
    if (group.time_s) conversions.add(group.name, *group.time_s);
  }
  conversions.add_finding(counters.kernels_s, 1.0, found);
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
