#pragma once

/// Devices, links and calibrations.

#include "rooflab/device/calibration.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/device/overlap.hpp"
