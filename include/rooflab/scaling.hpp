#pragma once

/// Training on several GPUs: predicted and measured.

#include "rooflab/analyze/partition_result.hpp"
#include "rooflab/analyze/scaling.hpp"
#include "rooflab/task/partition.hpp"
#include "rooflab/task/scale.hpp"
