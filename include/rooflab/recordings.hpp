#pragma once

/// Recorded steps of PyTorch.

#include "rooflab/analyze/recorded_case.hpp"
#include "rooflab/recording/recording.hpp"
