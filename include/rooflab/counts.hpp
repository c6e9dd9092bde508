#pragma once

/// FLOPs, bytes, parameters and memory of a network and of each of its ops.

#include "rooflab/analyze/network_count.hpp"
#include "rooflab/cost/cost.hpp"
#include "rooflab/schedule/schedule.hpp"
#include "rooflab/schedule/strides.hpp"
