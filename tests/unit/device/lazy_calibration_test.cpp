#include <gtest/gtest.h>

#include <stdexcept>

#include "rooflab/device/calibration.hpp"

namespace rooflab::device {
namespace {

TEST(LazyCalibration, IsReadOnceForAllCopies) {
  int reads = 0;
  const LazyCalibration lazy({.id = "toy"}, [&reads] {
    ++reads;
    Calibration calibration;
    calibration.id = "toy";
    return calibration;
  });
  // NOLINTNEXTLINE(performance-unnecessary-copy-initialization): the copy is what is tested
  const LazyCalibration copy = lazy;
  EXPECT_EQ(copy.entry().id, "toy");
  EXPECT_FALSE(copy.is_read());
  EXPECT_EQ(reads, 0);
  EXPECT_EQ(lazy.read()->id, "toy");
  EXPECT_TRUE(copy.is_read());
  EXPECT_EQ(copy.read(), lazy.read());
  EXPECT_EQ(reads, 1);
}

TEST(LazyCalibration, TriesAgainAfterAnError) {
  bool fails = true;
  const LazyCalibration lazy({.id = "toy"}, [&fails]() -> Calibration {
    if (fails) throw std::runtime_error("not now");
    return {};
  });
  EXPECT_THROW((void)lazy.read(), std::runtime_error);
  EXPECT_FALSE(lazy.is_read());
  fails = false;
  EXPECT_EQ(*lazy.read(), Calibration());
}

TEST(LazyCalibration, OneThatIsThereIsDescribedByWhatItHolds) {
  Calibration calibration;
  calibration.id = "toy";
  calibration.device = "t4";
  calibration.environment["date"] = "2026-11-21";
  const LazyCalibration lazy(calibration);
  EXPECT_TRUE(lazy.is_read());
  EXPECT_EQ(lazy.entry().device, "t4");
  EXPECT_EQ(lazy.entry().date, "2026-11-21");
  EXPECT_TRUE(lazy.entry().issuers.empty());
  EXPECT_EQ(*lazy.read(), calibration);
}

}  // namespace
}  // namespace rooflab::device
