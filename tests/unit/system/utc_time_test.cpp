#include "system/utc_time.hpp"

#include <gtest/gtest.h>

namespace rooflab {
namespace {

// By date(1): date -u -d @SECONDS.
TEST(UtcTime, IsIso8601) {
  EXPECT_EQ(utc_time(0), "1970-01-01T00:00:00Z");
  EXPECT_EQ(utc_time(951'827'696), "2000-02-29T12:34:56Z");
  EXPECT_EQ(utc_time(1'767'225'599), "2025-12-31T23:59:59Z");
}

}  // namespace
}  // namespace rooflab
