// Kernels that only convert layouts.
//
//   trace, counters   kernels whose names say so (trace/kernel_purpose.cpp), over the time of all
//           kernels, where convolutions run and the device has tensor cores, as far as anybody
//           knows. Worth: the time in which nothing else runs, which channels-last data would save.
//   predicted, measured   a step whose convolutions read channels-first data on tensor cores is
//           predicted in channels-last order too: T and T(last). Said where 1 - T(last) / T is 5 %
//           or more. Worth: that part of the step.
//
// Source: NVIDIA, "Deep Learning Performance: Convolutional Layers User's Guide", tensor layouts.
// When it is wrong: by kernels more than their time may be saved, because norms and gradients of
// weights are faster channels-last too; less, where an op has no channels-last kernel.

#include <algorithm>
#include <set>

#include "base/format.hpp"
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
  [[nodiscard]] bool is_worth_saying(double whole) const {
    return all_ / whole >= row_of(FindingKind::layout_conversion).least;
  }
  void add_finding(double whole, std::optional<double> worth_s, FindingList& found) const {
    if (!is_worth_saying(whole)) return;
    std::vector<std::string> names;
    for (const auto& [name, time] : kinds_) {
      names.push_back(format("{} {:.1f} %", name, 100.0 * time / whole));
    }
    found.add(FindingKind::layout_conversion, {all_ / whole, names, {}}, worth_s);
  }

 private:
  std::vector<std::pair<std::string, double>> kinds_;
  double all_ = 0.0;
};

/// Channels-last data are for convolutions on tensor cores.
bool may_help(const Evidence& seen, const std::optional<device::Device>& device) {
  const auto is_matrix = [](const auto& peak) { return is_matrix_unit(peak.first); };
  const bool lacks =
      device && !device->peaks.empty() && std::ranges::none_of(device->peaks, is_matrix);
  return seen.convolves && !lacks;
}

}  // namespace

void add_layout_conversion(const TraceFacts& trace, FindingList& found) {
  if (!may_help(trace.seen, trace.imported.device)) return;
  Conversions conversions;
  for (const trace::StepKernel& kernel : trace.work.conversions) {
    conversions.add(kernel.name, kernel.time_ns);
  }
  conversions.add_finding(trace.work.kernel_ns,
                          trace.work.alone(trace::LoneKind::conversion) * seconds_per_ns, found);
}

void add_layout_conversion(const CounterFacts& counters, FindingList& found) {
  if (counters.imported.trace) return;  // which says it by the step
  if (!may_help(counters.seen, counters.imported.device)) return;
  Conversions conversions;
  std::set<std::string> names;
  for (const analyze::KernelGroup& group : counters.imported.kernels) {
    if (!group.time_s || trace::layout_conversion_of(group.name).empty()) continue;
    conversions.add(group.name, *group.time_s);
    names.insert(group.name);
  }
  conversions.add_finding(
      counters.kernels_s,
      counters.times.alone_s([&](const std::string& name) { return names.contains(name); }), found);
  if (conversions.is_worth_saying(counters.kernels_s)) counters.taken.merge(names);
}

void add_layout_conversion(const NetworkFacts& network, FindingList& found) {
  const std::optional<double> gain = network.gain(network.result.channels_last);
  if (!gain || *gain < row_of(FindingKind::layout_conversion).least) return;
  // Each convolution has its part of the gain.
  const double worth_s = network.above_ideal_s(*gain * network.step_s);
  double convolutions_s = 0.0;
  const auto is_convolution = [](const analyze::LayerRow& row) {
    return row.op_class == analyze::OpClass::convolution;
  };
  for (const analyze::LayerRow& row : network.result.layers) {
    if (is_convolution(row)) convolutions_s += network.row_s(row);
  }
  for (const analyze::LayerRow& row : network.result.layers) {
    if (!is_convolution(row) || convolutions_s <= 0.0) continue;
    (void)network.take(row, worth_s * network.row_s(row) / convolutions_s);
  }
  advise(found.add(FindingKind::layout_conversion,
                   {{}, {}, analyze::channels_first_share(network.result)}, worth_s),
         network.command, {{ChangedMember::channels_last}});
}

}  // namespace rooflab::findings
