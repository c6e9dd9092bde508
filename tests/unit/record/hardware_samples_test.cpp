#include "rooflab/record/hardware_samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "describe/schema.hpp"
#include "equal_fields.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::record {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

/// Lengths of 1, 3, 1 and 1 s; a gap of 2 s behind the second, and one value that is not known.
HardwareSamples series() {
  HardwareSamples samples;
  samples.window_s = 10.0;
  samples.start_s = {0.0, 1.0, 6.0, 7.0};
  samples.length_s = {1.0, 3.0, 1.0, 1.0};
  samples.read_bytes = {10.0, 60.0, 20.0, 30.0};
  samples.write_bytes = {2.0, std::nullopt, 4.0, 6.0};
  samples.tensor_share = {1.0, 0.2, 0.4, 0.0};
  return samples;
}

// Worked out by hand:
//   read     10 + 60 + 20 + 30 = 120 B in 6 s
//   written  2 + 4 + 6 = 12 B in the 3 s of the samples that have it
//   both     (12 + 24 + 36) / 3 s
//   tensor   (1 x 1.0 + 3 x 0.2 + 1 x 0.4 + 0) / 6 = 2 / 6
TEST(SampleTotals, AreSumsAndMeansOverTime) {
  const SampleTotals totals = totals_of(series());
  EXPECT_EQ(totals.samples, 4U);
  EXPECT_EQ(totals.sampled_s, 6.0);
  EXPECT_THAT(totals.sampled_share, Optional(0.6));
  EXPECT_THAT(totals.read_bytes, Optional(120.0));
  EXPECT_THAT(totals.write_bytes, Optional(12.0));
  EXPECT_THAT(totals.read_bytes_per_s, Optional(20.0));
  EXPECT_THAT(totals.write_bytes_per_s, Optional(4.0));
  EXPECT_THAT(totals.bytes_per_s, Optional(24.0));
  EXPECT_THAT(totals.tensor_share, Optional(DoubleEq(2.0 / 6.0)));
  EXPECT_FALSE(totals.fp32_share);  // not sampled: not 0
}

TEST(SampleTotals, WithoutSamplesNothingIsKnown) {
  const SampleTotals totals = totals_of(HardwareSamples());
  EXPECT_EQ(totals.samples, 0U);
  EXPECT_FALSE(totals.sampled_share);
  EXPECT_FALSE(totals.read_bytes);
  EXPECT_FALSE(totals.bytes_per_s);
}

// The device's clock may run ahead of the host's.
TEST(SampleTotals, NoMoreThanTheWindowIsCovered) {
  HardwareSamples samples = series();
  samples.window_s = 5.9;
  EXPECT_THAT(totals_of(samples).sampled_share, Optional(1.0));
}

TEST(CondensedSamples, KeepTotalsAndGaps) {
  const HardwareSamples kept = condensed(series(), 2);
  EXPECT_THAT(kept.start_s, ElementsAre(0.0, 6.0));
  EXPECT_THAT(kept.length_s, ElementsAre(4.0, 2.0));
  EXPECT_THAT(kept.read_bytes, ElementsAre(Optional(70.0), Optional(50.0)));
  EXPECT_THAT(kept.write_bytes, ElementsAre(std::nullopt, Optional(10.0)));
  EXPECT_THAT(kept.tensor_share, ElementsAre(Optional(DoubleEq(1.6 / 4.0)), Optional(0.2)));
  EXPECT_THAT(kept.fp32_share, IsEmpty());
  EXPECT_THAT(totals_of(kept).tensor_share, Optional(DoubleEq(2.0 / 6.0)));
  EXPECT_EQ(condensed(series(), 4).size(), 4U);
}

TEST(HardwareSamples, AreReadBackWithTheKeysOfTheFormat) {
  Record record;
  record.hardware_samples = series();
  record.hardware_samples->chip = "GH100";
  record.hardware_samples->metrics = {"dram__bytes_read.sum"};
  const Json json = file_json(record);
  EXPECT_EQ(json["hardware_samples"]["dram_write_bytes"][1], Json());
  EXPECT_EQ(json["hardware_samples"]["dram_read_bytes"][3], 30.0);
  EXPECT_EQ(json["hardware_samples"]["tensor_pipe_share"][1], 0.2);
  EXPECT_EQ(json["hardware_samples"]["length_s"][1], 3.0);
  EXPECT_EQ(from_file_json<Record>(json, "a.json"), record);
  EXPECT_FALSE(file_json(Record()).contains("hardware_samples"));
}

// A column is whole or empty: whoever draws it looks at its times.
TEST(HardwareSamples, AColumnOfAnotherLengthIsRefused) {
  Record record;
  record.hardware_samples = series();
  record.hardware_samples->read_bytes.pop_back();
  EXPECT_ANY_THROW((void)from_file_json<Record>(file_json(record), "a.json"));
}

}  // namespace
}  // namespace rooflab::record
