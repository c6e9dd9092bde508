#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace rooflab::probe_worker {

/// Types of matrix elements.
enum class Element { fp64, fp32, fp16, bf16, e4m3, int8 };

/// Fills device memory with random values in [-1, 1); for integers from -127 to 127.
void fill_random(Element type, void* elements, std::size_t count, std::uint32_t seed);

/// Computes c = a + b with `blocks` blocks of `threads` threads, each of which steps over the
/// arrays by the total number of threads.
void launch_addition(const float* a, const float* b, float* c, std::size_t count, unsigned blocks,
                     unsigned threads);

void launch_nothing(cudaStream_t stream = nullptr);
/// Keeps one thread busy for `cycles` cycles.
void launch_delay(long long cycles);

}  // namespace rooflab::probe_worker
