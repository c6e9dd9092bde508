#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rooflab::probe_worker {

/// Kernels that move device memory. They work on 32-bit words, so that every result can be checked
/// exactly: `read` sums all words, `write` stores one, `copy` is a = b, `triad` is a = b + 3 c.
enum class StreamKind { read, write, copy, triad };

/// Use of the caches by loads and stores.
enum class Caching {
  plain,
  once,      ///< loads bypass the L1, stores are marked as not read again
  prefetch,  ///< like `once`, and a load brings 256 bytes into the L2
};

struct StreamArrays {
  std::uint32_t* a = nullptr;
  std::uint32_t* b = nullptr;
  std::uint32_t* c = nullptr;
  std::size_t words = 0;          ///< words per array; a multiple of stream_grain
  std::uint32_t* sums = nullptr;  ///< sum_slots words that `read` adds to
};

inline constexpr std::size_t stream_grain =
    std::size_t{4} * 1024 * 16;  ///< words: the largest tile
inline constexpr std::size_t sum_slots = 1024;
inline constexpr std::uint32_t written_word = 0xA5A5A5A5U;
inline constexpr std::uint32_t triad_factor = 3;

struct StreamKernel {
  int block = 0;   ///< threads per block
  int unroll = 0;  ///< 16-byte accesses in flight per thread and array
  Caching caching = Caching::plain;
  /// Launches the kernel. `resident`: as many blocks as the device holds at once step over the
  /// array; else one block per tile.
  void (*launch)(const StreamArrays& arrays, bool resident) = nullptr;
};

[[nodiscard]] const std::vector<StreamKernel>& stream_kernels(StreamKind kind);

/// Fills word[i] = pattern(i): different words with a known sum.
void fill_pattern(std::uint32_t* words, std::size_t count);
/// Sum of fill_pattern()'s words, modulo 2^32.
[[nodiscard]] constexpr std::uint32_t pattern_sum(std::size_t count) {
  constexpr std::uint32_t odd = 2654435761U;  // Knuth's multiplicative hash: i -> odd * i
  const std::size_t even_one = count % 2 == 0 ? count / 2 : (count - 1) / 2;
  const std::size_t other = count % 2 == 0 ? count - 1 : count;
  return odd * static_cast<std::uint32_t>(even_one) * static_cast<std::uint32_t>(other);
}

struct CacheKernel {
  int block = 0;
  int unroll = 0;
  int tile_bytes = 0;  ///< bytes read by a block in one round
  /// Launches `blocks` blocks that read `rounds` tiles each from the first `bytes` (tiles) of
  /// `words`, bypassing the L1, so that all blocks together read them repeatedly.
  void (*launch)(const std::uint32_t* words, std::size_t bytes, int blocks, int rounds,
                 std::uint32_t* sums) = nullptr;
  /// Number of blocks that the device holds at once.
  int (*resident_blocks)() = nullptr;
};

[[nodiscard]] const std::vector<CacheKernel>& cache_kernels();

}  // namespace rooflab::probe_worker
