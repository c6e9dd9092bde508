// Every thread loads `Unroll` vectors of 16 bytes before it uses the first: that many requests of a
// warp are on their way at once. Neighbouring threads touch neighbouring vectors; a tile is what a
// block does at once, contiguous in memory. Tiles divide the arrays, so no test for the end
// is needed. Loads and stores are written in PTX, which has the cache hints. One block for a
// multiprocessor is all that the launch bounds ask for: otherwise the assembler saves registers for
// more blocks by using the first loads before it issues the last.

#include <cuda_runtime.h>

#include "stream_kernels.hpp"

namespace rooflab::probe_worker {
namespace {

template <Caching C>
__device__ __forceinline__ uint4 load(const uint4* from) {
  uint4 v;
  const std::size_t address = __cvta_generic_to_global(from);
  if constexpr (C == Caching::plain) {
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(address));
    return v;
  }
#if __CUDA_ARCH__ >= 800
  if constexpr (C == Caching::prefetch) {
    asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                 : "l"(address));
    return v;
  }
#endif
#if __CUDA_ARCH__ >= 700
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(address));
#else  // PTX knows the hint from Volta on
  asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(address));
#endif
  return v;
}

/// Through the L2, past the L1.
__device__ __forceinline__ uint4 load_from_l2(const uint4* from) {
  uint4 v;
  asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(__cvta_generic_to_global(from)));
  return v;
}

template <Caching C>
__device__ __forceinline__ void store(uint4* to, uint4 v) {
  const std::size_t address = __cvta_generic_to_global(to);
  if constexpr (C == Caching::plain) {
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(v.x), "r"(v.y),
                 "r"(v.z), "r"(v.w)
                 : "memory");
  } else {
    asm volatile("st.global.cs.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(v.x), "r"(v.y),
                 "r"(v.z), "r"(v.w)
                 : "memory");
  }
}

/// Adds the sums of a block's threads to one of the slots.
template <int Block>
__device__ __forceinline__ void add_block_sum(std::uint32_t sum, std::uint32_t* sums) {
  __shared__ std::uint32_t of_warp[Block / 32];
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(~0U, sum, lanes);
  if (threadIdx.x % 32 == 0) of_warp[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  std::uint32_t of_block = 0;
  for (int warp = 0; warp < Block / 32; ++warp) of_block += of_warp[warp];
  atomicAdd(&sums[blockIdx.x % sum_slots], of_block);
}

template <int Block, int Unroll, Caching C>
__global__ void __launch_bounds__(Block, 1)
    read(const uint4* __restrict__ from, unsigned tiles, std::uint32_t* sums) {
  std::uint32_t sum = 0;
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const uint4* at = from + static_cast<std::size_t>(tile) * (Block * Unroll) + threadIdx.x;
    uint4 v[Unroll];
#pragma unroll
    for (int i = 0; i < Unroll; ++i) v[i] = load<C>(at + i * Block);
#pragma unroll
    for (int i = 0; i < Unroll; ++i) sum += (v[i].x + v[i].y) + (v[i].z + v[i].w);
  }
  add_block_sum<Block>(sum, sums);
}

template <int Block, int Unroll, Caching C>
__global__ void __launch_bounds__(Block, 1)
    write(uint4* __restrict__ to, unsigned tiles, uint4 word) {
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    uint4* at = to + static_cast<std::size_t>(tile) * (Block * Unroll) + threadIdx.x;
#pragma unroll
    for (int i = 0; i < Unroll; ++i) store<C>(at + i * Block, word);
  }
}

template <int Block, int Unroll, Caching C>
__global__ void __launch_bounds__(Block, 1)
    copy(uint4* __restrict__ to, const uint4* __restrict__ from, unsigned tiles) {
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const std::size_t at = static_cast<std::size_t>(tile) * (Block * Unroll) + threadIdx.x;
    uint4 v[Unroll];
#pragma unroll
    for (int i = 0; i < Unroll; ++i) v[i] = load<C>(from + at + i * Block);
#pragma unroll
    for (int i = 0; i < Unroll; ++i) store<C>(to + at + i * Block, v[i]);
  }
}

__device__ __forceinline__ uint4 multiply_add(uint4 b, uint4 c) {
  return {b.x + triad_factor * c.x, b.y + triad_factor * c.y, b.z + triad_factor * c.z,
          b.w + triad_factor * c.w};
}

template <int Block, int Unroll, Caching C>
__global__ void __launch_bounds__(Block, 1)
    triad(uint4* __restrict__ a, const uint4* __restrict__ b, const uint4* __restrict__ c,
          unsigned tiles) {
  for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const std::size_t at = static_cast<std::size_t>(tile) * (Block * Unroll) + threadIdx.x;
    uint4 x[Unroll];
    uint4 y[Unroll];
#pragma unroll
    for (int i = 0; i < Unroll; ++i) {
      x[i] = load<C>(b + at + i * Block);
      y[i] = load<C>(c + at + i * Block);
    }
#pragma unroll
    for (int i = 0; i < Unroll; ++i) store<C>(a + at + i * Block, multiply_add(x[i], y[i]));
  }
}

template <int Block, int Unroll>
__global__ void __launch_bounds__(Block, 1)
    read_cache(const uint4* __restrict__ from, unsigned tiles, int rounds, std::uint32_t* sums) {
  const unsigned stride = gridDim.x % tiles;
  unsigned tile = blockIdx.x % tiles;
  std::uint32_t sum = 0;
  for (int round = 0; round < rounds; ++round) {
    const uint4* at = from + static_cast<std::size_t>(tile) * (Block * Unroll) + threadIdx.x;
    uint4 v[Unroll];
#pragma unroll
    for (int i = 0; i < Unroll; ++i) v[i] = load_from_l2(at + i * Block);
#pragma unroll
    for (int i = 0; i < Unroll; ++i) sum += (v[i].x + v[i].y) + (v[i].z + v[i].w);
    tile += stride;
    if (tile >= tiles) tile -= tiles;
  }
  add_block_sum<Block>(sum, sums);
}

__global__ void pattern(std::uint32_t* words, std::size_t count) {
  const std::size_t stride = static_cast<std::size_t>(gridDim.x) * blockDim.x;
  for (std::size_t i = static_cast<std::size_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    words[i] = 2654435761U * static_cast<std::uint32_t>(i);
  }
}

template <class Kernel>
int blocks_at_once(Kernel kernel, int block) {
  int device = 0;
  int multiprocessors = 1;
  int blocks = 1;
  static_cast<void>(cudaGetDevice(&device));
  static_cast<void>(
      cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device));
  static_cast<void>(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, block, 0));
  return multiprocessors * (blocks > 0 ? blocks : 1);
}

template <int Block, int Unroll>
unsigned tiles_of(const StreamArrays& arrays) {
  return static_cast<unsigned>(arrays.words / (4 * Block * Unroll));
}

uint4* vectors(std::uint32_t* words) { return reinterpret_cast<uint4*>(words); }

template <StreamKind Kind, int Block, int Unroll, Caching C>
void launch(const StreamArrays& arrays, bool resident) {
  const unsigned tiles = tiles_of<Block, Unroll>(arrays);
  static const int held = [] {
    if constexpr (Kind == StreamKind::read) return blocks_at_once(read<Block, Unroll, C>, Block);
    if constexpr (Kind == StreamKind::write) return blocks_at_once(write<Block, Unroll, C>, Block);
    if constexpr (Kind == StreamKind::copy) return blocks_at_once(copy<Block, Unroll, C>, Block);
    return blocks_at_once(triad<Block, Unroll, C>, Block);
  }();
  const unsigned grid =
      resident && static_cast<unsigned>(held) < tiles ? static_cast<unsigned>(held) : tiles;
  if constexpr (Kind == StreamKind::read) {
    read<Block, Unroll, C><<<grid, Block>>>(vectors(arrays.b), tiles, arrays.sums);
  } else if constexpr (Kind == StreamKind::write) {
    const uint4 word = {written_word, written_word, written_word, written_word};
    write<Block, Unroll, C><<<grid, Block>>>(vectors(arrays.a), tiles, word);
  } else if constexpr (Kind == StreamKind::copy) {
    copy<Block, Unroll, C><<<grid, Block>>>(vectors(arrays.a), vectors(arrays.b), tiles);
  } else {
    triad<Block, Unroll, C>
        <<<grid, Block>>>(vectors(arrays.a), vectors(arrays.b), vectors(arrays.c), tiles);
  }
}

template <StreamKind Kind, int Block, int Unroll, Caching... C>
void add(std::vector<StreamKernel>& kernels) {
  (kernels.push_back({Block, Unroll, C, launch<Kind, Block, Unroll, C>}), ...);
}

template <StreamKind Kind, int... Unroll>
std::vector<StreamKernel> kernels_of() {
  std::vector<StreamKernel> kernels;
  if constexpr (Kind == StreamKind::read || Kind == StreamKind::copy) {
    (add<Kind, 256, Unroll, Caching::plain, Caching::once, Caching::prefetch>(kernels), ...);
    (add<Kind, 512, Unroll, Caching::plain, Caching::once, Caching::prefetch>(kernels), ...);
  } else {
    (add<Kind, 256, Unroll, Caching::plain, Caching::once>(kernels), ...);
    (add<Kind, 512, Unroll, Caching::plain, Caching::once>(kernels), ...);
  }
  return kernels;
}

template <int Block, int Unroll>
CacheKernel cache_kernel() {
  return {Block, Unroll, Block * Unroll * 16,
          [](const std::uint32_t* words, std::size_t bytes, int blocks, int rounds,
             std::uint32_t* sums) {
            const auto tiles = static_cast<unsigned>(bytes / (Block * Unroll * 16));
            read_cache<Block, Unroll><<<static_cast<unsigned>(blocks), Block>>>(
                reinterpret_cast<const uint4*>(words), tiles, rounds, sums);
          },
          [] { return blocks_at_once(read_cache<Block, Unroll>, Block); }};
}

}  // namespace

const std::vector<StreamKernel>& stream_kernels(StreamKind kind) {
  static const std::vector<StreamKernel> reads = kernels_of<StreamKind::read, 4, 8, 16>();
  static const std::vector<StreamKernel> writes = kernels_of<StreamKind::write, 1, 2, 4>();
  static const std::vector<StreamKernel> copies = kernels_of<StreamKind::copy, 1, 2, 4, 8>();
  static const std::vector<StreamKernel> triads = kernels_of<StreamKind::triad, 1, 2, 4>();
  switch (kind) {
    case StreamKind::read:
      return reads;
    case StreamKind::write:
      return writes;
    case StreamKind::copy:
      return copies;
    default:
      return triads;
  }
}

const std::vector<CacheKernel>& cache_kernels() {
  static const std::vector<CacheKernel> kernels = {cache_kernel<256, 4>(), cache_kernel<256, 8>(),
                                                   cache_kernel<512, 4>(), cache_kernel<512, 8>(),
                                                   cache_kernel<1024, 4>()};
  return kernels;
}

void fill_pattern(std::uint32_t* words, std::size_t count) { pattern<<<4096, 256>>>(words, count); }

}  // namespace rooflab::probe_worker
