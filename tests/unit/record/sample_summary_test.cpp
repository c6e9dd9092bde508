#include <gtest/gtest.h>

#include "describe/fields.hpp"
#include "rooflab/record/sample.hpp"

namespace rooflab::record {
namespace {

Sample power(double time_s, double power_w) {
  Sample sample;
  sample.time_s = time_s;
  sample.power_w = power_w;
  return sample;
}

TEST(SampleSummary, MeansWeighTimeAndNotSamples) {
  // 100 W rising to 300 W in 1 s, then 300 W for 3 s: 200 J + 900 J = 1100 J in 4 s.
  const SampleSummary summary =
      summarize({"cuda:0", "X", {power(10.0, 100.0), power(11.0, 300.0), power(14.0, 300.0)}});
  EXPECT_EQ(summary.device, "cuda:0");
  EXPECT_EQ(summary.name, "X");
  EXPECT_EQ(summary.samples, 3U);
  EXPECT_DOUBLE_EQ(summary.duration_s, 4.0);
  EXPECT_DOUBLE_EQ(summary.power_w.value().mean, 275.0);
  EXPECT_DOUBLE_EQ(summary.power_w.value().min, 100.0);
  EXPECT_DOUBLE_EQ(summary.power_w.value().max, 300.0);
  EXPECT_FALSE(summary.energy_j.has_value());  // power is not a counter
  EXPECT_FALSE(summary.core_utilization.has_value());
  EXPECT_FALSE(summary.throttle.has_value());
}

TEST(SampleSummary, AGapCountsInNeither) {
  // 10 W for 1 s, a second unknown on both sides of a hole, 40 W for 3 s: 130 J in 4 s.
  Sample hole;
  hole.time_s = 2.0;
  const SampleSummary summary =
      summarize({"cuda:0",
                 "X",
                 {power(0.0, 10.0), power(1.0, 10.0), hole, power(3.0, 40.0), power(6.0, 40.0)}});
  EXPECT_DOUBLE_EQ(summary.power_w.value().mean, 32.5);
}

TEST(SampleSummary, EnergyIsTheCountersDifference) {
  std::vector<Sample> samples = {power(0.0, 500.0), power(1.0, 500.0), power(2.5, 500.0)};
  samples[0].energy_j = 1e6;
  samples[1].energy_j = 1e6 + 450.0;
  samples[2].energy_j = 1e6 + 1000.0;
  SampleSummary summary = summarize({"cuda:0", "X", samples});
  EXPECT_DOUBLE_EQ(summary.energy_j.value(), 1000.0);  // and not 500 W * 2.5 s = 1250 J
  EXPECT_DOUBLE_EQ(summary.energy_span_s, 2.5);

  samples[2].energy_j.reset();
  summary = summarize({"cuda:0", "X", samples});
  EXPECT_DOUBLE_EQ(summary.energy_j.value(), 450.0);
  EXPECT_DOUBLE_EQ(summary.energy_span_s, 1.0);

  samples[1].energy_j = 3.0;  // the driver was loaded anew
  EXPECT_FALSE(summarize({"cuda:0", "X", samples}).energy_j.has_value());
  samples[1].energy_j.reset();  // one reading has no difference
  EXPECT_FALSE(summarize({"cuda:0", "X", samples}).energy_j.has_value());
}

TEST(SampleSummary, ReasonsByShareOfTheSamplesThatTell) {
  std::vector<Sample> samples(5);
  for (std::size_t i = 0; i < samples.size(); ++i) samples[i].time_s = static_cast<double>(i);
  samples[0].throttle_reasons = {"gpu_idle"};
  samples[1].throttle_reasons = {"sw_power_cap", "sw_thermal"};
  samples[2].throttle_reasons = {"sw_power_cap"};
  samples[3].throttle_reasons = std::vector<std::string>{};
  const SampleSummary summary = summarize({"cuda:0", "X", samples});
  ASSERT_EQ(summary.throttle.value().size(), 3U);
  EXPECT_EQ(summary.throttle.value()[0].reason, "sw_power_cap");
  EXPECT_DOUBLE_EQ(summary.throttle.value()[0].share, 0.5);
  EXPECT_DOUBLE_EQ(summary.throttle.value()[1].share, 0.25);
  EXPECT_EQ(summary.throttled_by(), "sw_power_cap 50 %, gpu_idle 25 %, sw_thermal 25 %");
  samples = {samples[3]};
  EXPECT_EQ(summarize({"cuda:0", "X", samples}).throttled_by(), "none");
  samples[0].throttle_reasons.reset();
  EXPECT_EQ(summarize({"cuda:0", "X", samples}).throttled_by(), std::nullopt);
}

// The keys of docs/formats/measure.md.
TEST(SampleSummary, AsJsonHasMeansAndExtremes) {
  const Json json = to_json(summarize({"cuda:0", "X", {power(10.0, 100.0), power(11.0, 300.0)}}));
  EXPECT_EQ(json["sample_count"], 2);
  EXPECT_EQ(json["duration_s"], 1.0);
  EXPECT_EQ(json["mean_power_w"], 200.0);
  EXPECT_EQ(json["highest_power_w"], 300.0);
  EXPECT_TRUE(json["mean_core_utilization_share"].is_null());
}

TEST(SampleSummary, ProcessorTimeAsCores) {
  std::vector<Sample> samples(3);
  samples[0].time_s = 1.0;
  samples[0].task_clock_s = 0.5;
  samples[0].resident_bytes = 1000;
  samples[1].time_s = 3.0;
  samples[1].task_clock_s = 6.5;
  samples[1].resident_bytes = 3000;
  samples[2].time_s = 4.0;  // the process is gone
  const SampleSummary summary = summarize({"cpu", "python3", samples});
  EXPECT_DOUBLE_EQ(summary.task_clock_s.value(), 6.0);
  EXPECT_DOUBLE_EQ(summary.cores_busy.value(), 3.0);
  EXPECT_DOUBLE_EQ(summary.resident_bytes.value().mean, 2000.0);
}

TEST(SampleSummary, NoSampleAndOneSample) {
  EXPECT_EQ(summarize({"cuda:0", "X", {}}).samples, 0U);
  EXPECT_FALSE(summarize({"cuda:0", "X", {}}).power_w.has_value());
  const SampleSummary summary = summarize({"cuda:0", "X", {power(7.0, 50.0)}});
  EXPECT_DOUBLE_EQ(summary.duration_s, 0.0);
  EXPECT_DOUBLE_EQ(summary.power_w.value().mean, 50.0);
}

}  // namespace
}  // namespace rooflab::record
