#pragma once

/// Files of profilers as records, and what they say: Nsight Compute and Systems, PyTorch, nvprof.

#include "rooflab/analyze/counted_layers.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/analyze/modelled_ops.hpp"
#include "rooflab/import/readers.hpp"
