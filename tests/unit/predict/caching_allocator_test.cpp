#include <gtest/gtest.h>

#include "rooflab/predict/memory_model.hpp"

namespace rooflab::predict {
namespace {

constexpr std::int64_t mebibyte = 1 << 20;

TEST(CachingAllocator, RoundsTo512Bytes) {
  CachingAllocator allocator;
  (void)allocator.allocate(Bytes(1));
  (void)allocator.allocate(Bytes(0));
  (void)allocator.allocate(Bytes(513));
  EXPECT_EQ(allocator.allocated(), Bytes(512 + 512 + 1024));
  EXPECT_EQ(allocator.reserved(), Bytes(2 * mebibyte));
}

TEST(CachingAllocator, SegmentsDependOnTheRequest) {
  const auto reserved = [](std::int64_t bytes) {
    CachingAllocator allocator;
    (void)allocator.allocate(Bytes(bytes));
    return allocator.reserved();
  };
  EXPECT_EQ(reserved(mebibyte), Bytes(2 * mebibyte));
  EXPECT_EQ(reserved(mebibyte + 1), Bytes(20 * mebibyte));
  EXPECT_EQ(reserved(10 * mebibyte - 512), Bytes(20 * mebibyte));
  EXPECT_EQ(reserved(10 * mebibyte), Bytes(10 * mebibyte));
  EXPECT_EQ(reserved(11 * mebibyte), Bytes(12 * mebibyte));
}

// Of a 12 mebibyte segment for 11.5 mebibyte the rest is too small to split off: it is booked as
// allocated.
TEST(CachingAllocator, ASmallRestIsBookedWithTheBlock) {
  CachingAllocator allocator;
  const CachingAllocator::Block block = allocator.allocate(Bytes(11 * mebibyte + mebibyte / 2));
  EXPECT_EQ(allocator.allocated(), Bytes(12 * mebibyte));
  allocator.release(block);
  EXPECT_EQ(allocator.allocated(), Bytes(0));
}

TEST(CachingAllocator, ReusesTheSmallestBlockThatFits) {
  CachingAllocator allocator;
  const CachingAllocator::Block large = allocator.allocate(Bytes(64 * mebibyte));
  const CachingAllocator::Block medium = allocator.allocate(Bytes(32 * mebibyte));
  allocator.release(large);
  allocator.release(medium);
  EXPECT_EQ(allocator.allocate(Bytes(32 * mebibyte)), medium);
  EXPECT_EQ(allocator.reserved(), Bytes(96 * mebibyte));
}

// 20 mebibyte split in 8 + 8 + 4; released, the neighbours are one block again.
TEST(CachingAllocator, NeighboursMergeWhenReleased) {
  CachingAllocator allocator;
  const CachingAllocator::Block first = allocator.allocate(Bytes(8 * mebibyte));
  const CachingAllocator::Block second = allocator.allocate(Bytes(8 * mebibyte));
  EXPECT_EQ(allocator.reserved(), Bytes(20 * mebibyte));
  allocator.release(first);
  (void)allocator.allocate(Bytes(9 * mebibyte));  // fits neither 8 nor 4
  EXPECT_EQ(allocator.reserved(), Bytes(40 * mebibyte));
  allocator.release(second);
  (void)allocator.allocate(Bytes(20 * mebibyte));
  EXPECT_EQ(allocator.reserved(), Bytes(40 * mebibyte));
}

TEST(CachingAllocator, SegmentsDoNotMerge) {
  CachingAllocator allocator;
  const CachingAllocator::Block first = allocator.allocate(Bytes(10 * mebibyte));
  const CachingAllocator::Block second = allocator.allocate(Bytes(10 * mebibyte));
  allocator.release(first);
  allocator.release(second);
  (void)allocator.allocate(Bytes(20 * mebibyte));
  EXPECT_EQ(allocator.reserved(), Bytes(40 * mebibyte));
}

TEST(CachingAllocator, SmallAndLargeRequestsHaveTheirOwnSegments) {
  CachingAllocator allocator;
  const CachingAllocator::Block large = allocator.allocate(Bytes(10 * mebibyte));
  allocator.release(large);
  (void)allocator.allocate(Bytes(512));
  EXPECT_EQ(allocator.reserved(), Bytes(12 * mebibyte));
}

// Three segments of 12 mebibyte are all that 40 mebibyte allow; a fourth fails. With the second
// free, 12 mebibyte find its place and 14 mebibyte need a separate segment: it is given back
// for that.
TEST(CachingAllocator, GivesIdleSegmentsBackBeforeItFails) {
  constexpr std::int64_t mib = mebibyte;
  CachingAllocator allocator(Bytes(40 * mib));
  const auto first = allocator.try_allocate(Bytes(12 * mib));
  const auto second = allocator.try_allocate(Bytes(12 * mib));
  const auto third = allocator.try_allocate(Bytes(12 * mib));
  ASSERT_TRUE(first && second && third);
  EXPECT_FALSE(allocator.try_allocate(Bytes(12 * mib)).has_value());
  EXPECT_EQ(allocator.reserved(), Bytes(36 * mib));
  allocator.release(*second);
  EXPECT_TRUE(allocator.try_allocate(Bytes(14 * mib)).has_value());
  EXPECT_EQ(allocator.reserved(), Bytes(38 * mib));
  EXPECT_EQ(allocator.allocated(), Bytes(38 * mib));
}

// A segment of which a part is in use stays.
TEST(CachingAllocator, KeepsSegmentsThatAreInUse) {
  constexpr std::int64_t mib = mebibyte;
  CachingAllocator allocator(Bytes(30 * mib));
  const auto first = allocator.try_allocate(Bytes(4 * mib));  // of a segment of 20 mebibyte
  ASSERT_TRUE(first.has_value());
  EXPECT_FALSE(allocator.try_allocate(Bytes(24 * mib)).has_value());
  EXPECT_EQ(allocator.reserved(), Bytes(20 * mib));
  allocator.release(*first);
  EXPECT_TRUE(allocator.try_allocate(Bytes(24 * mib)).has_value());
  EXPECT_EQ(allocator.reserved(), Bytes(24 * mib));
}

}  // namespace
}  // namespace rooflab::predict
