// The order in which calibrations are asked.

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "rooflab/base/text.hpp"
#include "rooflab/predict/time_model.hpp"

namespace rooflab::predict {
namespace {

std::optional<double> capability(const device::Device& device) {
  return device.compute_capability ? parse_number(device.compute_capability->value) : std::nullopt;
}

/// |log2| of the ratio of two figures; 0 where one is unknown.
double apart(std::optional<double> one, std::optional<double> other) {
  return one && other ? std::abs(std::log2(*one / *other)) : 0.0;
}

/// How unlike two multiprocessors are: the bandwidth that each has, and its lanes.
double unlike(const device::Device& one, const device::Device& other) {
  constexpr double weight_of_lanes = 0.8;
  const auto lanes = [](const device::Device& device) {
    return device.fp32_lanes_per_sm ? std::optional(device.fp32_lanes_per_sm->value) : std::nullopt;
  };
  const auto bandwidth = [](const device::Device& device) {
    return device.bandwidth && device.sm_count
               ? std::optional(device.bandwidth->value / device.sm_count->value)
               : std::nullopt;
  };
  return apart(bandwidth(one), bandwidth(other)) +
         weight_of_lanes * apart(lanes(one), lanes(other));
}

/// How far two generations are apart: compute capabilities where both have one, else memories.
double generations_apart(const device::Device& one, const device::Device& other) {
  const std::optional<double> first = capability(one);
  const std::optional<double> second = capability(other);
  if (first && second) return std::abs(*first - *second);
  if (!one.bandwidth || !other.bandwidth) return 0.0;
  return std::abs(std::log2(one.bandwidth->value / other.bandwidth->value));
}

}  // namespace

Relation relation_of(const device::Device& one, const device::Device& other) {
  if (one.id == other.id) return Relation::same_device;
  if (one.vendor != other.vendor) return Relation::other_maker;
  if (!one.chip.empty() && one.chip == other.chip) return Relation::same_chip;
  if (!one.architecture.empty() && one.architecture == other.architecture) {
    return Relation::same_architecture;
  }
  return Relation::same_maker;
}

std::vector<CalibratedDevice> relatives_of(const device::Device& target,
                                           std::vector<CalibratedDevice> calibrated) {
  // A device without a maker is one that no datasheet describes: nothing is carried to or from it.
  std::erase_if(calibrated, [&target](const CalibratedDevice& each) {
    const bool described = !target.vendor.empty() && !each.device.vendor.empty();
    return each.calibration.entry().kinds.empty() || (!described && each.device.id != target.id);
  });
  std::set<std::string> devices;  // of several calibrations of one device the first is used
  std::erase_if(calibrated, [&devices](const CalibratedDevice& each) {
    return !devices.insert(each.device.id).second;
  });
  const auto distance = [&target](const CalibratedDevice& each) {
    const Relation relation = relation_of(target, each.device);
    // An architecture is a matter of kind: an HBM board of one and a small board of it are less
    // alike than two HBM boards of neighbouring ones.
    const Relation group =
        relation == Relation::same_architecture ? Relation::same_maker : relation;
    return std::pair(group, generations_apart(each.device, target) + unlike(each.device, target));
  };
  std::ranges::stable_sort(calibrated, {}, distance);
  return calibrated;
}

}  // namespace rooflab::predict
