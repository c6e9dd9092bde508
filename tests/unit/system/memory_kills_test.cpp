#include "system/memory_kills.hpp"

#include <gtest/gtest.h>

namespace rooflab {
namespace {

TEST(MemoryKills, AreReadFromVmstat) {
  EXPECT_EQ(memory_kills("pgfault 7\noom_kill_other 9\noom_kill 3\npgmajfault 4\n"), 3);
  EXPECT_EQ(memory_kills("oom_kill 0\n"), 0);
}

TEST(MemoryKills, AreUnknownWhereTheKernelDoesNotSay) {
  EXPECT_EQ(memory_kills(""), std::nullopt);
  EXPECT_EQ(memory_kills("pgfault 7\n"), std::nullopt);
  EXPECT_EQ(memory_kills("oom_kill many\n"), std::nullopt);
}

}  // namespace
}  // namespace rooflab
