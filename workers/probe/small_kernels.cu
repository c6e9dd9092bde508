#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>

#include "small_kernels.hpp"

namespace rooflab::probe_worker {
namespace {

/// "lowbias32" of Wellons' hash prospector: every bit of the result depends on every bit of x.
__device__ std::uint32_t scrambled(std::uint32_t x) {
  x ^= x >> 16;
  x *= 0x7FEB352DU;
  x ^= x >> 15;
  x *= 0x846CA68BU;
  return x ^ (x >> 16);
}

template <class Type>
__device__ Type element_of(float number) {
  return static_cast<Type>(number);
}
template <>
__device__ __half element_of<__half>(float number) {
  return __float2half_rn(number);
}
template <>
__device__ __nv_bfloat16 element_of<__nv_bfloat16>(float number) {
  return __float2bfloat16_rn(number);
}
template <>
__device__ __nv_fp8_e4m3 element_of<__nv_fp8_e4m3>(float number) {
  return __nv_fp8_e4m3(number);
}
template <>
__device__ signed char element_of<signed char>(float number) {
  return static_cast<signed char>(__float2int_rn(number * 127.0F));
}

template <class Type>
__global__ void random_elements(Type* elements, std::size_t count, std::uint32_t seed) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    const std::uint32_t bits = scrambled(static_cast<std::uint32_t>(i) + scrambled(seed));
    elements[i] = element_of<Type>(static_cast<float>(bits >> 8) * 0x1p-23F - 1.0F);
  }
}

template <class Type>
void fill(void* elements, std::size_t count, std::uint32_t seed) {
  random_elements<<<2048, 256>>>(static_cast<Type*>(elements), count, seed);
}

__global__ void addition(const float* __restrict__ a, const float* __restrict__ b,
                         float* __restrict__ c, std::size_t count) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    c[i] = a[i] + b[i];
  }
}

__global__ void nothing() {}

__global__ void delay(long long cycles) {
  const long long begin = clock64();
  while (clock64() - begin < cycles) {
  }
}

}  // namespace

void fill_random(Element type, void* elements, std::size_t count, std::uint32_t seed) {
  switch (type) {
    case Element::fp64:
      return fill<double>(elements, count, seed);
    case Element::fp32:
      return fill<float>(elements, count, seed);
    case Element::fp16:
      return fill<__half>(elements, count, seed);
    case Element::bf16:
      return fill<__nv_bfloat16>(elements, count, seed);
    case Element::e4m3:
      return fill<__nv_fp8_e4m3>(elements, count, seed);
    case Element::int8:
      return fill<signed char>(elements, count, seed);
  }
}

void launch_addition(const float* a, const float* b, float* c, std::size_t count, unsigned blocks,
                     unsigned threads) {
  addition<<<blocks, threads>>>(a, b, c, count);
}

void launch_nothing(cudaStream_t stream) { nothing<<<1, 1, 0, stream>>>(); }

void launch_delay(long long cycles) { delay<<<1, 1>>>(cycles); }

}  // namespace rooflab::probe_worker
