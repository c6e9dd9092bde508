#pragma once

#include "rooflab/task/run_device.hpp"

namespace rooflab::cli {
using task::precision_here;
using task::present_device;
using task::require_run_devices;
using task::run_device;
}  // namespace rooflab::cli
