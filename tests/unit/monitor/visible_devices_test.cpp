#include "monitor/visible_devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooflab::monitor {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::vector<std::string> uuids = {"GPU-8932f937-d72c", "GPU-12345678-aaaa",
                                        "GPU-12345699-bbbb"};

TEST(VisibleDevices, UnsetShowsAll) {
  EXPECT_THAT(visible_devices(std::nullopt, uuids), ElementsAre(0, 1, 2));
}

TEST(VisibleDevices, IndicesInTheirOrder) {
  EXPECT_THAT(visible_devices("2,0", uuids), ElementsAre(2, 0));
  EXPECT_THAT(visible_devices(" 1 , 2 ", uuids), ElementsAre(1, 2));
}

TEST(VisibleDevices, UuidsByTheirBeginning) {
  EXPECT_THAT(visible_devices("GPU-8932f937", uuids), ElementsAre(0));
  EXPECT_THAT(visible_devices("GPU-12345699,0", uuids), ElementsAre(2, 0));
  EXPECT_THAT(visible_devices("GPU-123456", uuids), IsEmpty());  // fits two
}

TEST(VisibleDevices, TheListEndsAtTheFirstThatIsNone) {
  EXPECT_THAT(visible_devices("0,2,-1,1", uuids), ElementsAre(0, 2));
  EXPECT_THAT(visible_devices("1,3,0", uuids), ElementsAre(1));
  EXPECT_THAT(visible_devices("1,1,0", uuids), ElementsAre(1));
  EXPECT_THAT(visible_devices("", uuids), IsEmpty());
  EXPECT_THAT(visible_devices("NoDevFiles", uuids), IsEmpty());
  EXPECT_THAT(visible_devices("MIG-8932f937", uuids), IsEmpty());
}

TEST(VisibleDevices, FrameworksLeaveThePrefixOut) {
  EXPECT_EQ(device_with_uuid("12345678-aaaa", uuids), 1U);
  EXPECT_EQ(device_with_uuid("GPU-12345678-aaaa", uuids), 1U);
  EXPECT_EQ(device_with_uuid("", uuids), std::nullopt);
  EXPECT_EQ(device_with_uuid("123456", uuids), std::nullopt);
}

}  // namespace
}  // namespace rooflab::monitor
