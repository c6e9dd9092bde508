#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rooflab::probe_worker {

/// Kernels that move device memory. They work on 32-bit words, so that every result can be checked
/// exactly: `read` adds all words up, `write` stores one, `copy` is a = b, `triad` is a = b + 3 c.
enum class StreamKind { read, write, copy, triad };

/// How loads and stores treat the caches.
enum class Caching {
  plain,
  once,      ///< loads leave the L1 alone, stores are marked as not read again
  prefetch,  ///< the same, and a load brings 256 bytes into the L2
};

struct StreamArrays {
  std::uint32_t* a = nullptr;
  std::uint32_t* b = nullptr;
  std::uint32_t* c = nullptr;
  std::size_t words = 0;          ///< words in each; a multiple of stream_grain
  std::uint32_t* sums = nullptr;  ///< sum_slots words that `read` adds to
};

inline constexpr std::size_t stream_grain =
    std::size_t{4} * 1024 * 16;  ///< words: the largest tile
inline constexpr std::size_t sum_slots = 1024;
inline constexpr std::uint32_t written_word = 0xA5A5A5A5U;
inline constexpr std::uint32_t triad_factor = 3;

struct StreamKernel {
  int block = 0;   ///< threads
  int unroll = 0;  ///< 16-byte accesses of a thread that are in flight together, of each array
  Caching caching = Caching::plain;
  /// Launches it. `resident`: as many blocks as the device holds at once walk over the array, else
  /// a block for each tile.
  void (*launch)(const StreamArrays& arrays, bool resident) = nullptr;
};

[[nodiscard]] const std::vector<StreamKernel>& stream_kernels(StreamKind kind);

/// word[i] = pattern(i): different words all over the array whose sum is known.
void fill_pattern(std::uint32_t* words, std::size_t count);
/// The sum of fill_pattern's words, modulo 2^32.
[[nodiscard]] constexpr std::uint32_t pattern_sum(std::size_t count) {
  constexpr std::uint32_t odd = 2654435761U;  // Knuth's multiplicative hash: i -> odd * i
  const std::size_t even_one = count % 2 == 0 ? count / 2 : (count - 1) / 2;
  const std::size_t other = count % 2 == 0 ? count - 1 : count;
  return odd * static_cast<std::uint32_t>(even_one) * static_cast<std::uint32_t>(other);
}

struct CacheKernel {
  int block = 0;
  int unroll = 0;
  int tile_bytes = 0;  ///< read by a block in one round
  /// `blocks` blocks read `rounds` tiles each out of the first `bytes` (tiles) of `words`, past the
  /// L1, so that all blocks together go round and round over them.
  void (*launch)(const std::uint32_t* words, std::size_t bytes, int blocks, int rounds,
                 std::uint32_t* sums) = nullptr;
  /// Blocks that the device holds at once.
  int (*resident_blocks)() = nullptr;
};

[[nodiscard]] const std::vector<CacheKernel>& cache_kernels();

}  // namespace rooflab::probe_worker
