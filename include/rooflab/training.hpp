#pragma once

/// Training to an accuracy.

#include "rooflab/task/evaluate.hpp"
#include "rooflab/task/train.hpp"
#include "rooflab/training/training_advice.hpp"
#include "rooflab/training/training_statistics.hpp"
#include "rooflab/training/training_summary.hpp"
