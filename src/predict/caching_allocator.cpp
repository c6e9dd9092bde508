#include <algorithm>

#include "base/assert.hpp"
#include "rooflab/predict/memory_model.hpp"

namespace rooflab::predict {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;
constexpr std::int64_t rounding = 512;
constexpr std::int64_t largest_small = mebibyte;
constexpr std::int64_t small_segment = 2 * mebibyte;
constexpr std::int64_t large_segment = 20 * mebibyte;
constexpr std::int64_t smallest_own_segment = 10 * mebibyte;
constexpr std::int64_t segment_rounding = 2 * mebibyte;

std::int64_t round_up(std::int64_t size, std::int64_t step) {
  return checked_add(size, step - 1) / step * step;
}

std::int64_t segment_size(std::int64_t size) {
  if (size <= largest_small) return small_segment;
  if (size < smallest_own_segment) return large_segment;
  return round_up(size, segment_rounding);
}

}  // namespace

CachingAllocator::Block CachingAllocator::new_extent(const Extent& extent) {
  if (unused_.empty()) {
    extents_.push_back(extent);
    return static_cast<Block>(extents_.size() - 1);
  }
  const Block block = unused_.back();
  unused_.pop_back();
  extents_[static_cast<std::size_t>(block)] = extent;
  return block;
}

void CachingAllocator::list(Block block) {
  Extent& listed = extent(block);
  listed.free = true;
  free_list(listed.small).insert({listed.size, listed.address, block});
}

void CachingAllocator::unlist(Block block) {
  Extent& listed = extent(block);
  listed.free = false;
  free_list(listed.small).erase({listed.size, listed.address, block});
}

bool CachingAllocator::reserve(std::int64_t size, bool small) {
  if (checked_add(reserved_, size) > limit_) give_back_idle_segments();
  if (reserved_ + size > limit_) return false;
  list(new_extent({.size = size, .address = next_address_, .small = small}));
  next_address_ = checked_add(next_address_, size);
  reserved_ += size;
  return true;
}

void CachingAllocator::give_back_idle_segments() {
  for (FreeList* free : {&small_free_, &large_free_}) {
    std::erase_if(*free, [this](const auto& listed) {
      const Block block = std::get<2>(listed);
      const Extent& idle = extent(block);
      if (idle.previous >= 0 || idle.next >= 0) return false;
      reserved_ -= idle.size;
      unused_.push_back(block);
      return true;
    });
  }
}

CachingAllocator::Block CachingAllocator::allocate(Bytes bytes) {
  const std::optional<Block> block = try_allocate(bytes);
  ROOFLAB_ASSERT(block);
  return *block;
}

std::optional<CachingAllocator::Block> CachingAllocator::try_allocate(Bytes bytes) {
  const std::int64_t size = std::max(round_up(bytes.value(), rounding), rounding);
  const bool small = size <= largest_small;
  FreeList& free = free_list(small);
  auto best = free.lower_bound({size, 0, 0});
  if (best == free.end()) {
    if (!reserve(segment_size(size), small)) return std::nullopt;
    best = free.lower_bound({size, 0, 0});
  }
  const Block block = std::get<2>(*best);
  unlist(block);
  const std::int64_t rest = extent(block).size - size;
  if (small ? rest >= rounding : rest > largest_small) {
    const Block after = extent(block).next;
    const Block remainder = new_extent({.size = rest,
                                        .address = extent(block).address + size,
                                        .previous = block,
                                        .next = after,
                                        .small = small});
    extent(block).size = size;
    extent(block).next = remainder;
    if (after >= 0) extent(after).previous = remainder;
    list(remainder);
  }
  allocated_ += extent(block).size;
  return block;
}

void CachingAllocator::merge_with_next(Block first) {
  const Block second = extent(first).next;
  const Block after = extent(second).next;
  extent(first).size += extent(second).size;
  extent(first).next = after;
  if (after >= 0) extent(after).previous = first;
  unused_.push_back(second);
}

void CachingAllocator::release(Block block) {
  ROOFLAB_ASSERT(!extent(block).free);
  allocated_ -= extent(block).size;
  if (const Block next = extent(block).next; next >= 0 && extent(next).free) {
    unlist(next);
    merge_with_next(block);
  }
  if (const Block previous = extent(block).previous; previous >= 0 && extent(previous).free) {
    unlist(previous);
    merge_with_next(previous);
    block = previous;
  }
  list(block);
}

}  // namespace rooflab::predict
