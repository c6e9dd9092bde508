#pragma once

/// Networks measured on this machine, through a worker.

#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/engine/case.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/task/machine.hpp"
#include "rooflab/task/measure.hpp"
