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

Finding first_of(std::string command, bool recorded) {
  analyze::CaseResult result = waiting(std::move(command));
  result.recorded = recorded;
  const std::vector<Finding> all = findings_of(result);
  return all.empty() ? Finding() : all.front();
}

}  // namespace recorded_attempt

TEST(Findings, ARecordingHasNoRequestToChange) {
  // The result says what it is of, whatever the name of its file.
  const std::string command = "rooflab predict net --device toy --batch 8";
  const Finding of_network = recorded_attempt::first_of(command, false);
  EXPECT_EQ(of_network.command_line, command);
  EXPECT_EQ(of_network.changes, (std::vector<RequestChange>{{ChangedMember::batch, "16", "8"}}));
  const Finding of_recording = recorded_attempt::first_of(command, true);
  EXPECT_EQ(of_recording.command_line, "");
  EXPECT_THAT(of_recording.attempt, testing::StartsWith("model = torch.compile("));
}

}  // namespace rooflab::findings
