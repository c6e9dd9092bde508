#pragma once

#include "exchange_queue.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/predict/link_model.hpp"

namespace rooflab::predict {

/// What messages and the kernels beside them cost each other, by the kernel's roof. The essay is at
/// the head of scaling.cpp.
struct Contention {
  MutualSlowdown compute;
  MutualSlowdown memory;
  bool measured = false;

  /// All that many times as large, but at least 1.
  [[nodiscard]] Contention times(double factor) const;
  [[nodiscard]] const MutualSlowdown& beside(const OpLimit& kernel) const {
    return kernel.bound == Bound::compute ? compute : memory;
  }
};

/// One deviation of slowdowns that were not measured.
inline constexpr double unknown_contention = 1.189;
/// What a call for a collective costs the host, in launches.
inline constexpr double launches_of_a_collective = 5.0;

/// What it is on a device that is one of `devices` that exchange.
[[nodiscard]] Contention contention_on(const device::Device& device, const LinkModel& link,
                                       int devices);

}  // namespace rooflab::predict
