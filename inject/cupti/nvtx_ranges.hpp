#pragma once

#include "profiler.hpp"

namespace rooflab::inject {

/// From now on NVTX ranges of the window's name open and close the profiler's window; the ranges'
/// beginnings are noted before too, since NVTX is often set up before CUDA.
void start_nvtx_ranges(Profiler& profiler);
void stop_nvtx_ranges();

}  // namespace rooflab::inject
