#pragma once

#include <optional>
#include <span>

#include "rooflab/base/quantity.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/record/kernel_sums.hpp"

namespace rooflab::analyze {

/// Place of counted work below a device's roofs:
///
///     attainable = min(peak, intensity * bandwidth)
///
/// The peak is that of the arithmetic path with most of the FLOPs. Below its ridge point (peak over
/// bandwidth) memory limits, from there on arithmetic does. Source: Williams, Waterman, Patterson,
/// "Roofline: an insightful visual performance model", CACM 52 (2009).
struct RoofPlace {
  predict::Bound bound = predict::Bound::none;
  double attainable_flops_per_s = 0.0;
  double attainable_share = 0.0;  ///< FLOP/s reached over the attainable rate
};
[[nodiscard]] std::span<const Field> fields_of(For<RoofPlace>);

/// Place of work with `intensity` FLOP per byte that reaches `flops_per_s` on one arithmetic path.
/// nullopt where the device lacks the peak or the bandwidth, or one of the three is not known.
[[nodiscard]] std::optional<RoofPlace> roof_place_of(const std::optional<device::Device>& device,
                                                     std::optional<ArithmeticPath> path,
                                                     std::optional<double> intensity,
                                                     std::optional<double> flops_per_s);

/// Place of counted kernels. nullopt where FLOPs, DRAM bytes or time are not known in full (a lower
/// bound of the FLOPs would put the work too far left), or the device lacks the peak or the
/// bandwidth.
[[nodiscard]] std::optional<RoofPlace> roof_place_of(const record::KernelSums& sums,
                                                     const std::optional<device::Device>& device);

}  // namespace rooflab::analyze
