#include "monitor/throttle_reasons.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooflab::monitor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// nvml.h: nvmlClocksEventReasonGpuIdle 0x1 ... nvmlClocksEventReasonDisplayClockSetting 0x100.
TEST(ThrottleReasons, EveryBitHasItsName) {
  EXPECT_THAT(throttle_reasons(0x1), ElementsAre("gpu_idle"));
  EXPECT_THAT(throttle_reasons(0x2), ElementsAre("application_clocks"));
  EXPECT_THAT(throttle_reasons(0x4), ElementsAre("sw_power_cap"));
  EXPECT_THAT(throttle_reasons(0x8), ElementsAre("hw_slowdown"));
  EXPECT_THAT(throttle_reasons(0x10), ElementsAre("sync_boost"));
  EXPECT_THAT(throttle_reasons(0x20), ElementsAre("sw_thermal"));
  EXPECT_THAT(throttle_reasons(0x40), ElementsAre("hw_thermal"));
  EXPECT_THAT(throttle_reasons(0x80), ElementsAre("hw_power_brake"));
  EXPECT_THAT(throttle_reasons(0x100), ElementsAre("display_clocks"));
}

TEST(ThrottleReasons, NoneSeveralAndUnknown) {
  EXPECT_THAT(throttle_reasons(0), IsEmpty());
  EXPECT_THAT(throttle_reasons(0x48), ElementsAre("hw_slowdown", "hw_thermal"));
  EXPECT_THAT(throttle_reasons(0x8000000000000204),
              ElementsAre("sw_power_cap", "0x200", "0x8000000000000000"));
}

}  // namespace
}  // namespace rooflab::monitor
