#include "import/ncu/unit_table.hpp"

#include <gtest/gtest.h>

namespace rooflab::import::ncu {
namespace {

using enum record::MetricDimension;
using enum record::MetricForm;

TEST(UnitTable, ReadsOldAndNewSpellings) {
  EXPECT_EQ(unit_scale("nsecond", time, total), 1e-9);
  EXPECT_EQ(unit_scale("ns", time, total), 1e-9);
  EXPECT_EQ(unit_scale("usecond", time, total), 1e-6);
  EXPECT_EQ(unit_scale("ms", time, total), 1e-3);
  EXPECT_EQ(unit_scale("s", time, total), 1.0);
  EXPECT_EQ(unit_scale("Kbyte", bytes, total), 1e3);  // not 1024
  EXPECT_EQ(unit_scale("KB", bytes, total), 1e3);
  EXPECT_EQ(unit_scale("Gbyte", bytes, total), 1e9);
  EXPECT_EQ(unit_scale("Mhz", frequency, total), 1e6);
  EXPECT_EQ(unit_scale("MHz", frequency, total), 1e6);
  EXPECT_EQ(unit_scale("cycle/nsecond", frequency, total), 1e9);
  EXPECT_EQ(unit_scale("cycle/usecond", frequency, total), 1e6);
  EXPECT_EQ(unit_scale("%", fraction, total), 0.01);
  EXPECT_EQ(unit_scale("Kinst", count, total), 1e3);
  EXPECT_EQ(unit_scale("register/thread", count, total), 1.0);
  EXPECT_EQ(unit_scale("Kbyte/block", bytes, total), 1e3);
}

TEST(UnitTable, ReadsRates) {
  EXPECT_EQ(unit_scale("Gbyte/second", bytes, per_second), 1e9);
  EXPECT_EQ(unit_scale("GB/s", bytes, per_second), 1e9);
  EXPECT_DOUBLE_EQ(*unit_scale("byte/nsecond", bytes, per_second), 1e9);
  EXPECT_EQ(unit_scale("inst/cycle", count, per_cycle), 1.0);
  EXPECT_EQ(unit_scale("", count, per_cycle_derived), 1.0);
}

TEST(UnitTable, OnlyCountsMayHaveNone) {
  EXPECT_EQ(unit_scale("", count, total), 1.0);
  EXPECT_FALSE(unit_scale("", time, total));
  EXPECT_FALSE(unit_scale("", bytes, total));
  EXPECT_FALSE(unit_scale("", fraction, total));
}

TEST(UnitTable, NeverGuesses) {
  EXPECT_FALSE(unit_scale("fortnight", time, total));
  EXPECT_FALSE(unit_scale("KiB", bytes, total));
  EXPECT_FALSE(unit_scale("byte", time, total));
  EXPECT_FALSE(unit_scale("byte/second", bytes, total));
  EXPECT_FALSE(unit_scale("byte", bytes, per_second));
  EXPECT_FALSE(unit_scale("inst/second", count, per_cycle));
  EXPECT_FALSE(unit_scale("%", bytes, total));
}

}  // namespace
}  // namespace rooflab::import::ncu
