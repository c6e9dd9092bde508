#pragma once

/// What was measured, counted or traced, whatever tool did it.

#include "rooflab/record/kernel_name.hpp"
#include "rooflab/record/kernel_sums.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/record/sample.hpp"
#include "rooflab/record/scale_run.hpp"
#include "rooflab/record/training_run.hpp"
