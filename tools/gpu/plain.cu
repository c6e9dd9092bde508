// A CUDA program in which nothing repeats: kernels of random sizes in random order, by a seed. What
// its FP32 kernels did is known by arithmetic, and printed at the end.
//   nvcc -O2 -o plain tools/gpu/plain.cu && ./plain SECONDS
// A multiply-accumulate is 2 FLOP: `chain` does 2 REPEATS of them for each of its threads, `sum`
// one addition for each element but the first of a thread.

#include <cuda_runtime.h>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

constexpr int threads = 256;
constexpr int repeats = 64;
constexpr std::uint32_t most_elements = 1U << 22U;

__global__ void chain(float* x, std::uint32_t n, float a) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = x[i];
#pragma unroll
  for (int k = 0; k < 2 * repeats; ++k) value = fmaf(value, a, 0.5F);
  x[i] = value;
}

// Every thread has exactly eight elements.
__global__ void sum(const float* x, float* y) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  const std::uint32_t stride = gridDim.x * blockDim.x;
  float total = x[i];
#pragma unroll
  for (std::uint32_t k = 1; k < 8; ++k) total += x[i + k * stride];
  y[i] = total;
}

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::atof(argv[1]) : 5.0;
  float* x = nullptr;
  float* y = nullptr;
  if (cudaMalloc(&x, most_elements * sizeof(float)) != cudaSuccess ||
      cudaMalloc(&y, most_elements * sizeof(float)) != cudaSuccess) {
    std::fprintf(stderr, "no CUDA device\n");
    return 1;
  }
  cudaMemset(x, 0, most_elements * sizeof(float));
  std::uint32_t state = 12345;  // Knuth's linear congruential generator (MMIX without its low bits)
  const auto draw = [&state](std::uint32_t below) {
    state = state * 1664525U + 1013904223U;
    return (state >> 8U) % below;
  };
  double flop = 0.0;
  std::uint64_t launches = 0;
  const auto begin = std::chrono::steady_clock::now();
  while (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() <
         seconds) {
    for (int k = 0; k < 50; ++k, ++launches) {
      const std::uint32_t blocks = 1 + draw(512);
      if (draw(3) == 0) {
        sum<<<blocks, threads>>>(x, y);
        flop += 7.0 * blocks * threads;
      } else {
        const std::uint32_t n = blocks * threads;
        chain<<<blocks, threads>>>(x, n, 0.25F);
        flop += 2.0 * 2.0 * repeats * n;
      }
    }
    cudaDeviceSynchronize();
  }
  std::printf("%llu launches, %.6f GFLOP in FP32\n", static_cast<unsigned long long>(launches),
              flop * 1e-9);
  return cudaGetLastError() == cudaSuccess ? 0 : 1;
}
