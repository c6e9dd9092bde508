#pragma once

#include <string>

#include "profiler.hpp"

namespace rooflab::inject {

/// From now on NVTX ranges of the window's name open and close the profiler's window; the ranges'
/// beginnings are noted before too, since NVTX is often set up before CUDA.
void start_nvtx_ranges(Profiler& profiler);
void stop_nvtx_ranges();
/// Names of the ranges that the calling thread is in, outer ones first; empty: none.
[[nodiscard]] std::string nvtx_ranges_of_this_thread();

}  // namespace rooflab::inject
