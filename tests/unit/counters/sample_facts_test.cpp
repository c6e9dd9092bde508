// Samples of a profile, by its lines.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/note_matchers.hpp"
#include "base/format.hpp"
#include "counters/profile_reader.hpp"

namespace rooflab::counters {
namespace {

using testing::DoubleEq;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Optional;

constexpr std::string_view sample_head =
    R"({"rooflab_profile":1,"pid":42,"host":"node1","command":["./simulation"],"mode":"sample",)"
    R"("window":"all","step":"auto","cupti":"13.0"})"
    "\n"
    R"({"device":1,"name":"NVIDIA H200","chip":"GH100"})"
    "\n";
constexpr std::string_view sampled_metrics =
    R"({"sampling":{"device":1,"metrics":["dram__bytes_read.sum",)"
    R"("sm__cycles_active.avg.pct_of_peak_sustained_elapsed"],"interval_ns":1000000}})"
    "\n";

record::Record read_samples(std::string_view lines) {
  return read_profile_text(
      std::string(sample_head) + std::string(sampled_metrics) + std::string(lines), "a.jsonl");
}

std::vector<std::string> losses(const record::Record& record) {
  std::vector<std::string> texts;
  for (const record::Loss& loss : record.lost) {
    texts.push_back(format("{} x {}, {}", loss.count, loss.what, loss.first));
  }
  return texts;
}

TEST(SampleFacts, BecomeColumns) {
  const record::Record record = read_samples(
      "[\"s\",5000000000,5001000000,4096,25]\n"
      "[\"s\",5001000000,5002000000,0,null]\n"
      "{\"sampling_window_ns\":2500000}\n"
      "[\"s\",5004000000,5005000000,1024,100]\n"
      "{\"sampling_window_ns\":1500000}\n"
      "{\"end\":\"exit\",\"kernels\":0}\n");
  ASSERT_TRUE(record.hardware_samples);
  const record::HardwareSamples& samples = *record.hardware_samples;
  EXPECT_EQ(samples.chip, "GH100");
  EXPECT_DOUBLE_EQ(samples.interval_s, 0.001);
  EXPECT_DOUBLE_EQ(samples.window_s, 0.004);
  EXPECT_THAT(samples.start_s, ElementsAre(0.0, DoubleEq(0.001), DoubleEq(0.004)));
  EXPECT_THAT(samples.length_s, ElementsAre(DoubleEq(0.001), DoubleEq(0.001), DoubleEq(0.001)));
  EXPECT_THAT(samples.read_bytes, ElementsAre(Optional(4096.0), Optional(0.0), Optional(1024.0)));
  EXPECT_THAT(samples.sm_share, ElementsAre(Optional(0.25), std::nullopt, Optional(1.0)));
  EXPECT_THAT(samples.write_bytes, IsEmpty());
  EXPECT_THAT(losses(record), ElementsAre("1 x values that samples lack, line 5"));
  EXPECT_THAT(record.warnings, IsEmpty());
  EXPECT_TRUE(record.kernels);
  EXPECT_FALSE(record.trace);
  EXPECT_EQ(record.identity.device, "cuda:1");
}

TEST(SampleFacts, WhatHasNoTimeIsCounted) {
  const record::Record record = read_samples(
      "[\"s\",0,5001000000,4096,25]\n"
      "[\"s\",5002000000,5002000000,1,1]\n"
      "[\"s\",5002000000,5003000000,1,1]\n"
      "[\"s\",5001000000,5002000000,1,1]\n"
      "{\"sampling_window_ns\":1000000}\n"
      "[\"s\",6000000000,6010000001,1,1]\n"
      "[\"s\",7000000000,7020000000,1,1]\n");
  EXPECT_EQ(record.hardware_samples->size(), 2U);  // a long one in a window is a long one
  EXPECT_THAT(losses(record),
              ElementsAre("2 x samples without a time, line 4",
                          "1 x samples that begin before the one before them, line 7",
                          "1 x first samples of a window that are far too long, line 9"));
}

TEST(SampleFacts, LinesThatAreWrongAreCounted) {
  const record::Record record = read_samples(
      "[\"s\",1000,2000,1]\n"
      "[\"s\",1000,2000,1,2,3]\n"
      "[\"s\",1000,2000,1,\"x\"]\n"
      "{\"sampling_window_ns\":-1}\n"
      "{\"sampling\":{\"metrics\":[],\"interval_ns\":1000}}\n"
      "{\"sampling\":{\"metrics\":[1],\"interval_ns\":1000}}\n"
      "{\"sampling\":{\"metrics\":[],\"interval_ns\":0}}\n");
  EXPECT_EQ(record.hardware_samples->size(), 0U);
  EXPECT_THAT(losses(record),
              ElementsAre("5 x lines with something missing or of the wrong type, line 4",
                          "2 x samples of a second device, line 8"));
}

// Nothing is 0 where the driver refused.
TEST(SampleFacts, WithoutSamplesTheRecordSaysSo) {
  const record::Record record = read_profile_text(
      std::string(sample_head) + "{\"warning\":\"refused\",\"hint\":\"ask\"}\n{\"end\":\"exit\"}\n",
      "a.jsonl");
  ASSERT_TRUE(record.hardware_samples);
  EXPECT_EQ(record.hardware_samples->size(), 0U);
  ASSERT_EQ(record.warnings.size(), 2U);
  EXPECT_EQ(record.warnings[0].text(), "refused; ask");
  EXPECT_EQ(record.warnings[1].text(), "no sample was taken");
}

TEST(SampleFacts, ManySamplesAreCondensed) {
  std::string lines;
  for (std::int64_t i = 0; i < 40'000; ++i) {
    lines += format("[\"s\",{},{},2,50]\n", 1'000'000 * (i + 1), 1'000'000 * (i + 2));
  }
  const record::Record record = read_samples(lines);
  EXPECT_EQ(record.hardware_samples->size(), 20'000U);
  EXPECT_THAT(record.hardware_samples->read_bytes[7], Optional(4.0));
  EXPECT_THAT(record.hardware_samples->sm_share[7], Optional(0.5));
}

}  // namespace
}  // namespace rooflab::counters
