// On each device, a process being a rank with its own devices, for the chosen kernels c:
//
//   every launch has a start    | U(c) \ U(all others) |, the union U of their intervals
//   one stream, no starts       the sum of c: a stream runs one kernel after the other
//   several streams, no starts  unknown: ncu runs kernels one by one, the program does not
//
// and of several devices the largest: a step ends no earlier than the one that would gain most.
// When it is wrong: a program that launches two graphs on one stream may run their kernels at
// the same time.

#include "kernel_times.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "rooflab/base/statistics.hpp"

namespace rooflab::findings {
namespace {

constexpr double ns_per_s = 1e9;

struct OneDevice {
  std::vector<TimeInterval> chosen;
  std::vector<TimeInterval> others;
  std::set<std::int32_t> streams;
  double chosen_s = 0.0;
  bool has_starts = true;

  [[nodiscard]] std::optional<double> alone_s() && {
    if (!has_starts) return streams.size() == 1 ? std::optional(chosen_s) : std::nullopt;
    if (chosen.empty()) return 0.0;
    const auto lone = difference_of(union_of(std::move(chosen)), union_of(std::move(others)));
    return static_cast<double>(total_ns(lone)) / ns_per_s;
  }
};

}  // namespace

std::optional<double> KernelTimes::alone_s(const Chosen& chosen) const {
  std::vector<bool> is_chosen;
  for (record::NameTable::Id id = 0; id < kernels_.names.size(); ++id) {
    is_chosen.push_back(chosen(kernels_.names[id]));
  }
  std::map<std::pair<record::NameTable::Id, std::int32_t>, OneDevice> devices;
  for (std::size_t row = 0; row < kernels_.size(); ++row) {
    const record::KernelLaunch& launch = kernels_.launch(row);
    const std::optional<double> time_s = kernels_.at(record::KernelFigure::time_s, row);
    if (!time_s) continue;
    OneDevice& device = devices[{launch.process, launch.device}];
    device.streams.insert(launch.stream);
    if (is_chosen[launch.name]) device.chosen_s += *time_s;
    if (!launch.start_ns) {
      device.has_starts = false;
      continue;
    }
    const std::int64_t end = *launch.start_ns + std::llround(*time_s * ns_per_s);
    (is_chosen[launch.name] ? device.chosen : device.others).push_back({*launch.start_ns, end});
  }
  double most_s = 0.0;
  for (auto& [key, device] : devices) {
    const std::optional<double> alone = std::move(device).alone_s();
    if (!alone) return std::nullopt;
    most_s = std::max(most_s, *alone);
  }
  return most_s;
}

std::optional<double> KernelTimes::all_s() const {
  return alone_s([](const std::string&) { return true; });
}

}  // namespace rooflab::findings
