#pragma once

#include <map>
#include <optional>
#include <string>

#include "published_ops.hpp"

namespace rooflab::probe {

/// Times below this multiple of a plateau may be host time.
inline constexpr double above_plateau = 1.25;

/// Share of the launch in the times of one kind on one device. The essay is in launch_lead.cpp.
struct LaunchLead {
  std::optional<double> plateau_s;  ///< time of the shortest ops, independent of their size
  double lead_s = 0.0;              ///< from the first event to the kernel's start
};

/// Leads of every kind for which the device has rows.
[[nodiscard]] std::map<std::string, LaunchLead> launch_leads(const PublishedOps& table,
                                                             const std::string& device);

}  // namespace rooflab::probe
