// Kernels that only convert layouts.
//
//   trace, counters   kernels whose names say so (trace/kernel_purpose.cpp), over the time of all
//           kernels. Worth: the time in which nothing else runs, which channels-last data would
//           save.
//   predicted, measured   a step whose convolutions read channels-first data on tensor cores is
//           predicted in channels-last order too: T and T(last). Said where 1 - T(last) / T is 5 %
//           or more. Worth: that part of the step.
//
// Source: NVIDIA, "Deep Learning Performance: Convolutional Layers User's Guide", tensor layouts.
// When it is wrong: by kernels more than their time may be saved, because norms and gradients of
// weights are faster channels-last too; less, where an op has no channels-last kernel.

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
  void add_finding(double whole, double worth_s, FindingList& found) const {
    if (all_ / whole < row_of(FindingKind::layout_conversion).least) return;
    std::vector<std::string> names;
    for (const auto& [name, time] : kinds_) {
      names.push_back(format("{} {:.1f} %", name, 100.0 * time / whole));
    }
    found.add(FindingKind::layout_conversion, {all_ / whole, names, {}}, worth_s);
  }
  [[nodiscard]] double all() const { return all_; }

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
  conversions.add_finding(trace.work.kernel_ns,
                          trace.work.alone(trace::LoneKind::conversion) * seconds_per_ns, found);
}

void add_layout_conversion(const CounterFacts& counters, FindingList& found) {
  if (counters.imported.trace) return;  // which says it by the step
  Conversions conversions;
  for (const analyze::KernelGroup& group : counters.imported.kernels) {
    if (group.time_s) conversions.add(group.name, *group.time_s);
  }
  conversions.add_finding(counters.kernels_s, conversions.all(), found);
}

void add_layout_conversion(const NetworkFacts& network, FindingList& found) {
  const std::optional<double> gain = network.gain(network.result.channels_last);
  if (!gain || *gain < row_of(FindingKind::layout_conversion).least) return;
  found.add(FindingKind::layout_conversion, {{}, {}, analyze::channels_first_share(network.result)},
            *gain * network.step_s, network.with("--channels-last"));
}

}  // namespace rooflab::findings
