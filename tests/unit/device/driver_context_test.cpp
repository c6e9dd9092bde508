// Contexts by architecture and driver, as data/driver_contexts.toml has them.

#include "device/driver_context.hpp"

#include <gtest/gtest.h>

namespace rooflab::device {
namespace {

Device device_of(const std::string& architecture, const std::string& driver = "",
                 const std::string& vendor = "NVIDIA") {
  Device device;
  device.vendor = vendor;
  device.architecture = architecture;
  device.driver = driver;
  return device;
}

TEST(DriverContext, AKnownDriverLoadsLazilyFrom515On) {
  EXPECT_EQ(driver_context(device_of("Ampere", "580.65.06"))->expected, 0.5e9);
  EXPECT_EQ(driver_context(device_of("Ampere", "580.65.06"))->most, 1.3e9);
  EXPECT_EQ(driver_context(device_of("Ampere", "515.43.04"))->expected, 0.5e9);
  EXPECT_EQ(driver_context(device_of("Ampere", "510.47"))->expected, 1.77e9);
  EXPECT_EQ(driver_context(device_of("Ampere", "510.47"))->most, 2.3e9);
}

// The newest is expected, and the largest is reckoned with.
TEST(DriverContext, OfAnUnknownDriver) {
  const DriverContext ampere = driver_context(device_of("Ampere")).value();
  EXPECT_EQ(ampere.expected, 0.5e9);
  EXPECT_EQ(ampere.most, 2.3e9);
  EXPECT_EQ(driver_context(device_of("Hopper"))->most, 1.3e9);
  EXPECT_EQ(driver_context(device_of("Kepler"))->most, 1.3e9);
}

TEST(DriverContext, IsUnknownForWhatNobodyPublished) {
  EXPECT_FALSE(driver_context(device_of("")));
  EXPECT_FALSE(driver_context(device_of("Hopper", "", "Nobody")));
  EXPECT_TRUE(driver_context(device_of("CDNA3", "", "AMD")));
}

}  // namespace
}  // namespace rooflab::device
