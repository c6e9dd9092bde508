#pragma once

/// Results next to each other, measured or predicted.

#include "rooflab/analyze/comparison.hpp"
#include "rooflab/analyze/result_set.hpp"
