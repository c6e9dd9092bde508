#pragma once

#include <span>

#include "rooflab/device/device.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// All devices, a line each, with their main figures.
[[nodiscard]] Document device_list_report(std::span<const device::Device> devices);

/// Every figure of one device with unit and source, and the ridge points that follow.
[[nodiscard]] Document device_report(const device::Device& device);

}  // namespace rooflab::report
