#include "monitor/own_process.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>
#include <vector>

namespace rooflab::monitor {
namespace {

TEST(OwnProcess, AgesWithTheClock) {
  const Seconds before = process_age();
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  const double passed = process_age().value - before.value;
  EXPECT_GE(before.value, 0.0);
  EXPECT_LT(before.value, 3600.0);  // since this process began, not since the machine did
  EXPECT_GE(passed, 0.1);
  EXPECT_LT(passed, 10.0);
}

TEST(OwnProcess, HadThisMemoryResident) {
  constexpr std::size_t size = 64'000'000;
  const std::vector<char> touched(size, 1);
  EXPECT_GE(peak_resident(), Bytes(static_cast<std::int64_t>(size)));
  EXPECT_EQ(touched.back(), 1);
}

}  // namespace
}  // namespace rooflab::monitor
