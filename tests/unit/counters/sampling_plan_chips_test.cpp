// Which samples real chips can take, asked of CUPTI's host library, which knows all chips and needs
// no GPU. What finds room with what is CUPTI 13.0's answer.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "known_chips.hpp"
#include "profile/sampling_plan.hpp"

namespace rooflab::counters {
namespace {

#ifdef ROOFLAB_HAS_CUPTI

using namespace profile;

using Names = std::vector<std::string>;

class SampledChips : public KnownChips {
 protected:
  SamplingList list_of(const std::string& chip) const {
    return sampling_metrics(metrics_fit_a_sample(cupti_, chip));
  }
};

TEST_F(SampledChips, SamplesTakeOnePass) {
  for (const char* chip : {"TU102", "GA100", "GA102", "AD102", "GH100", "GB100", "GB202"}) {
    if (!knows(chip)) continue;
    SCOPED_TRACE(chip);
    const SamplingList list = list_of(chip);
    EXPECT_EQ(MetricConfig(cupti_, chip, list.metrics, {}, CounterUse::samples).passes(), 1);
    for (const std::string& metric : list.metrics) EXPECT_TRUE(sampled_metric(metric)) << metric;
  }
}

TEST_F(SampledChips, WhatIsLeftOutIsAsStated) {
  if (cupti_->version() != "13.0") {
    GTEST_SKIP() << "answers of CUPTI 13.0, this is " << cupti_->version();
  }
  const std::map<std::string, Names> left_out = {
      {"TU102", {"tensor pipe", "FP16 pipe"}},
      {"GA100", {"FP16 pipe"}},
      {"GA102", {"FP64 pipe", "FP16 pipe"}},
      {"AD102", {"FP64 pipe", "FP16 pipe"}},
      {"GH100", {"SMs in use", "FP64 pipe", "FP16 pipe"}},
      {"GB100", {"FP64 pipe", "FP16 pipe"}},
      {"GB202", {"FP64 pipe", "FP16 pipe"}},
  };
  for (const auto& [chip, figures] : left_out) {
    if (!knows(chip)) continue;
    SCOPED_TRACE(chip);
    EXPECT_EQ(list_of(chip).left_out, figures) << testing::PrintToString(list_of(chip).metrics);
  }
}

// Volta is listed, and its samples are refused: error 27, not supported.
TEST_F(SampledChips, VoltaHasNone) {
  if (!knows("GV100")) GTEST_SKIP() << "this CUPTI does not know the chip";
  try {
    (void)list_of("GV100");
    FAIL() << "it has samples";
  } catch (const CuptiError& error) {
    EXPECT_EQ(error.code(), 27);
  }
}

#endif

}  // namespace
}  // namespace rooflab::counters
