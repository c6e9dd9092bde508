// No work is faster than the device's roofs: the FLOPs of each path over its peak, added up, and
// the DRAM bytes over the bandwidth, are at most the time. What is above was counted on another
// device, or wrongly. Modelled bytes do not count: caches may serve them.
//
// Peaks are at the datasheet's clock, which a cool chip may exceed: 5 % are left open.

#include "above_roofs.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "analyze_notes.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/device/device.hpp"

namespace rooflab::analyze {
namespace {

using record::KernelFigure;

constexpr double most_share = 1.05;

/// Keeps the largest.
class Highest {
 public:
  void add(const std::string& what, std::optional<double> share) {
    if (!share || *share <= std::max(most_share, share_)) return;
    share_ = *share;
    what_ = what;
  }
  [[nodiscard]] std::optional<Note> note(const std::string& device) const {
    if (what_.empty()) return std::nullopt;
    return Note{says.above_roof, {what_, share_, device}};
  }

 private:
  double share_ = 0.0;
  std::string what_;
};

/// The larger share of the two roofs; work without a peak counts as none.
std::optional<double> share_of(const record::KernelSums& sums, const device::Device& device) {
  const std::optional<double> time_s = sums.known(KernelFigure::time_s);
  if (!time_s || *time_s <= 0.0) return std::nullopt;
  double least_s = 0.0;
  for (const ArithmeticPath path : values_of<ArithmeticPath>) {
    const std::optional<double> peak = device::peak(device, path);
    if (peak) least_s += sums.known(path).value_or(0.0) / *peak;
  }
  const std::optional<double> bytes = sums.known(KernelFigure::dram_bytes);
  if (bytes && device.bandwidth) least_s = std::max(least_s, *bytes / device.bandwidth->value);
  return least_s / *time_s;
}

}  // namespace

std::optional<Note> above_roof_note(const ImportedCase& imported) {
  if (!imported.device) return std::nullopt;
  const device::Device& device = *imported.device;
  Highest highest;
  highest.add(imported.title, share_of(imported.shown_totals(), device));
  for (const KernelGroup& group : imported.kernels) {
    highest.add(group.name, share_of(group.sums, device));
  }
  if (imported.modelled) {
    for (const ModelledOpRow& op : imported.modelled->ops) {
      const auto peak = op.path ? device::peak(device, *op.path) : std::nullopt;
      highest.add(op.op, quotient(op.flops_per_s(), peak));
    }
  }
  if (imported.sampled) highest.add(imported.title, imported.sampled->bandwidth_share);
  return highest.note(device.name);
}

}  // namespace rooflab::analyze
