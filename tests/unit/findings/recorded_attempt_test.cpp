// A recording is one step: no flag of `rooflab predict` changes it, so a line of PyTorch is tried.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "finding_cases.hpp"

namespace rooflab::findings {
namespace recorded_attempt {

/// 2 s, of which the device works 1.5.
analyze::CaseResult waiting(std::string command) {
  analyze::CaseResult result;
  result.model = "net";
  result.batch = 8;
  result.device.id = "toy";
  result.limit.time = Seconds{1.0};
  result.prediction_model = analyze::PredictionModel::calibrated;
  result.prediction.emplace();
  result.prediction->time = Seconds{2.0};
  result.prediction->device = Seconds{1.5};
  result.issued_by = "pytorch";
  result.doubled_batch = Seconds{2.5};
  result.command = std::move(command);
  return result;
}

std::string attempt_of(std::string command, bool recorded) {
  analyze::CaseResult result = waiting(std::move(command));
  result.recorded = recorded;
  const std::vector<Finding> all = findings_of(result);
  return all.empty() ? "(nothing)" : all.front().attempt;
}

}  // namespace recorded_attempt

TEST(Findings, ARecordingHasNoCommandToTry) {
  using recorded_attempt::attempt_of;
  // The result says what it is of, whatever the name of its file.
  const std::string command = "rooflab predict net --device toy --batch 8";
  EXPECT_EQ(attempt_of(command, false), "rooflab predict net --device toy --batch 16");
  EXPECT_THAT(attempt_of(command, true), testing::StartsWith("model = torch.compile("));
  EXPECT_EQ(attempt_of("rooflab predict net.rec.jsonl --device toy", false),
            "rooflab predict net.rec.jsonl --device toy --batch 16");
}

TEST(Findings, TwiceTheBatchOfALayerIsInItsInput) {
  using recorded_attempt::attempt_of;
  EXPECT_EQ(attempt_of("rooflab predict --device toy --layer gelu --input 8x50 --fp16", false),
            "rooflab predict --device toy --layer gelu --input 16x50 --fp16");
  EXPECT_THAT(attempt_of("rooflab predict --device toy --layer gelu --input 64x50", false),
              testing::StartsWith("model = torch.compile("));  // not the command of this case
}

}  // namespace rooflab::findings
