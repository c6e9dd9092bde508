#pragma once

#include <span>

#include "rooflab/device/device.hpp"
#include "rooflab/device/link.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// All devices, a line each, with their main figures.
[[nodiscard]] Document device_list_report(std::span<const device::Device> devices);

/// Every figure of one device with unit and source, and the ridge points that follow.
[[nodiscard]] Document device_report(const device::Device& device);

/// All links, a line each: bandwidth of one direction, latency of a message; sources in CSV and
/// JSON.
[[nodiscard]] Document link_list_report(std::span<const device::Link> links);

}  // namespace rooflab::report
