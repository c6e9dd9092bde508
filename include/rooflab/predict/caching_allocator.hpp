#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <tuple>
#include <vector>

#include "rooflab/base/quantity.hpp"

namespace rooflab::predict {

/// PyTorch's CUDA caching allocator, simulated: how much memory is reserved from the driver for a
/// sequence of allocations and releases.
///
/// Requests are rounded up to 512 B. Up to 1 MiB they come from 2 MiB segments; below 10 MiB from
/// 20 MiB segments; from there a segment is the request rounded up to 2 MiB. The smallest free
/// block that is large enough is taken and split when more than 512 B (small) or 1 MiB (large)
/// would be left; neighbours merge when released. Segments stay, until a limit is reached: then
/// those that hold nothing are given back before a request fails. Source: PyTorch documentation,
/// "CUDA semantics: memory management", and its allocator's documented constants.
class CachingAllocator {
 public:
  using Block = std::int64_t;

  CachingAllocator() = default;
  /// An allocator that never reserves more than `limit`.
  explicit CachingAllocator(Bytes limit) : limit_(limit.value()) {}

  /// The new block, of an allocator without a limit.
  [[nodiscard]] Block allocate(Bytes bytes);
  /// The new block; nullopt: out of memory.
  [[nodiscard]] std::optional<Block> try_allocate(Bytes bytes);
  void release(Block block);

  [[nodiscard]] Bytes reserved() const { return Bytes(reserved_); }
  [[nodiscard]] Bytes allocated() const { return Bytes(allocated_); }

 private:
  struct Extent {
    std::int64_t size = 0;
    std::int64_t address = 0;
    Block previous = -1;  ///< neighbours in the same segment; -1: none
    Block next = -1;
    bool small = false;
    bool free = false;
  };
  /// Free blocks by size, then address.
  using FreeList = std::set<std::tuple<std::int64_t, std::int64_t, Block>>;

  [[nodiscard]] Extent& extent(Block block) { return extents_[static_cast<std::size_t>(block)]; }
  [[nodiscard]] FreeList& free_list(bool small) { return small ? small_free_ : large_free_; }
  [[nodiscard]] Block new_extent(const Extent& extent);
  /// False if the limit prevents it.
  [[nodiscard]] bool reserve(std::int64_t size, bool small);
  void give_back_idle_segments();
  void list(Block block);
  void unlist(Block block);
  /// Adds the block after `first` to it.
  void merge_with_next(Block first);

  std::vector<Extent> extents_;
  std::vector<Block> unused_;  ///< places in extents_ of blocks that were merged away
  FreeList small_free_;
  FreeList large_free_;
  std::int64_t limit_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t next_address_ = 0;
  std::int64_t reserved_ = 0;
  std::int64_t allocated_ = 0;
};

}  // namespace rooflab::predict
