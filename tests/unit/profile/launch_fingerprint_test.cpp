#include "profile/launch_fingerprint.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace rooflab::profile {
namespace {

TEST(LaunchFingerprint, IsOfNameGridAndBlockAlone) {
  const std::string name = "sm90_xmma_gemm_f32f32_tf32f32_f32_nn_n_tilesize128x256x32";
  EXPECT_EQ(launch_fingerprint(name, {4, 2, 1}, {128, 1, 1}),
            launch_fingerprint(std::string(name), {4, 2, 1}, {128, 1, 1}));
}

// Names that end alike, begin alike, or differ in what fills the last word; extents that change
// places.
TEST(LaunchFingerprint, DiffersForLaunchesThatDiffer) {
  std::set<std::uint64_t> seen;
  std::size_t launches = 0;
  for (const char* name : {"", "k", "kernel_1", "kernel_12", "kernel_2", "1kernel_",
                           "kernel_1kernel_1", "kernel_1kernel_2", "kernel_2kernel_1"}) {
    for (std::uint32_t extent = 0; extent < 1000; ++extent) {
      seen.insert(launch_fingerprint(name, {extent, 1, 1}, {32, 1, 1}));
      seen.insert(launch_fingerprint(name, {1, extent, 2}, {32, 1, 1}));
      seen.insert(launch_fingerprint(name, {1, 2, 1}, {32, extent, 1}));
      launches += 3;
    }
  }
  EXPECT_EQ(seen.size(), launches);
  EXPECT_NE(launch_fingerprint(std::string_view("k\0", 2), {}, {}),
            launch_fingerprint("k", {}, {}));
}

TEST(LaunchFingerprint, DiffersForGraphsThatDiffer) {
  EXPECT_EQ(launch_fingerprint("g", {}, {}, 8), launch_fingerprint("g", {}, {}, 8));
  EXPECT_NE(launch_fingerprint("g", {}, {}, 8), launch_fingerprint("g", {}, {}, 16));
  EXPECT_NE(launch_fingerprint("g", {}, {}, 8), launch_fingerprint("g", {}, {}));
}

}  // namespace
}  // namespace rooflab::profile
