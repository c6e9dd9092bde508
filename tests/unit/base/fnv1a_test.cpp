#include "base/fnv1a.hpp"

#include <gtest/gtest.h>

namespace rooflab {
namespace {

// The vectors of the authors' page (64-bit FNV-1a).
TEST(Fnv1a, HasThePublishedHashes) {
  EXPECT_EQ(fnv1a(""), 0xcbf29ce484222325U);
  EXPECT_EQ(fnv1a("a"), 0xaf63dc4c8601ec8cU);
  EXPECT_EQ(fnv1a("foobar"), 0x85944171f73967e8U);
}

TEST(Fnv1a, GoesOnFromAHash) { EXPECT_EQ(fnv1a("bar", fnv1a("foo")), fnv1a("foobar")); }

}  // namespace
}  // namespace rooflab
