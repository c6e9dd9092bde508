// a = a * b + c, over and over. A chain waits for its own last result (4 cycles on present
// devices); with 8 chains a warp always has another instruction ready, and with all warps that fit
// a scheduler issues one in every cycle. b lies just above -1: the values swing between two numbers
// and neither overflow nor come to rest. What comes out is stored, so that nothing can be left out.

#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include "arithmetic_kernels.hpp"

namespace rooflab::probe_worker {
namespace {

constexpr int steps = 16;  // of every chain in one round of the loop

__device__ __forceinline__ float multiply_add(float a, float b, float c) {
  return __fmaf_rn(a, b, c);
}
__device__ __forceinline__ double multiply_add(double a, double b, double c) {
  return __fma_rn(a, b, c);
}
__device__ __forceinline__ __half2 multiply_add(__half2 a, __half2 b, __half2 c) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 530
  return __hfma2(a, b, c);
#else  // Kepler only stores fp16; cuda_vector_peaks() does not measure it there
  return __floats2half2_rn(__fmaf_rn(__low2float(a), __low2float(b), __low2float(c)),
                           __fmaf_rn(__high2float(a), __high2float(b), __high2float(c)));
#endif
}

template <class Value>
__device__ __forceinline__ Value value_of(float number) {
  return static_cast<Value>(number);
}
template <>
__device__ __forceinline__ __half2 value_of<__half2>(float number) {
  return __float2half2_rn(number);
}

__device__ __forceinline__ float number_of(float value) { return value; }
__device__ __forceinline__ float number_of(double value) { return static_cast<float>(value); }
__device__ __forceinline__ float number_of(__half2 value) {
  return __low2float(value) + __high2float(value);
}

template <class Value, int Block, int Chains>
__global__ void __launch_bounds__(Block)
    multiply_adds(float* out, float factor, float summand, int rounds) {
  const Value b = value_of<Value>(factor);
  const Value c = value_of<Value>(summand);
  Value a[Chains];
#pragma unroll
  for (int i = 0; i < Chains; ++i) {
    a[i] = value_of<Value>(static_cast<float>(threadIdx.x % 32) * 0.03F + static_cast<float>(i));
  }
#pragma unroll 1
  for (int round = 0; round < rounds; ++round) {
#pragma unroll
    for (int step = 0; step < steps; ++step) {
#pragma unroll
      for (int i = 0; i < Chains; ++i) a[i] = multiply_add(a[i], b, c);
    }
  }
  float sum = 0.0F;
#pragma unroll
  for (int i = 0; i < Chains; ++i) sum += number_of(a[i]);
  out[static_cast<std::size_t>(blockIdx.x) * Block + threadIdx.x] = sum;
}

template <class Value, int Block, int Chains>
ArithmeticKernel kernel_of(int values) {
  return {Block, Chains, 2.0 * values * steps * Chains,
          [] {
            int device = 0;
            int multiprocessors = 1;
            int blocks = 1;
            static_cast<void>(cudaGetDevice(&device));
            static_cast<void>(
                cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
            static_cast<void>(cudaOccupancyMaxActiveBlocksPerMultiprocessor(
                &blocks, multiply_adds<Value, Block, Chains>, Block, 0));
            return multiprocessors * (blocks > 0 ? blocks : 1);
          },
          [](void* out, int blocks, int rounds) {
            multiply_adds<Value, Block, Chains><<<static_cast<unsigned>(blocks), Block>>>(
                static_cast<float*>(out), -0.999F, 0.5F, rounds);
          }};
}

template <class Value>
std::vector<ArithmeticKernel> kernels_of(int values) {
  return {kernel_of<Value, 256, 8>(values), kernel_of<Value, 256, 16>(values),
          kernel_of<Value, 1024, 8>(values)};
}

}  // namespace

const std::vector<ArithmeticKernel>& arithmetic_kernels(VectorType type) {
  static const std::vector<ArithmeticKernel> fp32 = kernels_of<float>(1);
  static const std::vector<ArithmeticKernel> fp64 = kernels_of<double>(1);
  static const std::vector<ArithmeticKernel> fp16 = kernels_of<__half2>(2);
  switch (type) {
    case VectorType::fp32:
      return fp32;
    case VectorType::fp64:
      return fp64;
    default:
      return fp16;
  }
}

}  // namespace rooflab::probe_worker
