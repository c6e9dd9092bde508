#pragma once

#include "exchange_queue.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/predict/link_model.hpp"

namespace rooflab::predict {

/// Mutual slowdowns of messages and concurrent kernels, by the kernel's roof. The essay is at the
/// head of predicted_scaling.cpp.
struct Contention {
  MutualSlowdown compute;
  MutualSlowdown memory;
  bool measured = false;

  /// Returns all slowdowns multiplied by `factor`, but at least 1.
  [[nodiscard]] Contention times(double factor) const;
  [[nodiscard]] const MutualSlowdown& beside(const OpLimit& kernel) const {
    return kernel.bound == Bound::compute ? compute : memory;
  }
};

/// Factor of one standard deviation for slowdowns that were not measured.
inline constexpr double unknown_contention = 1.189;
/// Host cost of a call for a collective, in launches.
inline constexpr double launches_of_a_collective = 5.0;

/// Contention on one of `devices` devices that exchange data.
[[nodiscard]] Contention contention_on(const device::Device& device, const LinkModel& link,
                                       int devices);

}  // namespace rooflab::predict
