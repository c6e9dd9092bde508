#pragma once

/// Programs watched: their hardware counters, and the load of the machine.

#include "rooflab/profile/profile_request.hpp"
#include "rooflab/task/monitor.hpp"
#include "rooflab/task/probe.hpp"
#include "rooflab/task/profile.hpp"
