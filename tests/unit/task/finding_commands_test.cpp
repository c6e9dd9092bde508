#include "task/finding_commands.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/task/predict.hpp"
#include "rooflab/task/request_kind.hpp"

namespace rooflab::task {
namespace {

using ::testing::StartsWith;

RequestChange batch(std::string to, std::string from) {
  return {ChangedMember::batch, std::move(to), std::move(from)};
}

std::string changed(const std::string& line, RequestChange change) {
  return changed_command(line, std::vector{std::move(change)});
}

TEST(ChangedCommand, SetsAMember) {
  EXPECT_EQ(changed("rooflab predict a --batch 1 --notes", batch("2", "1")),
            "rooflab predict a --batch 2 --notes");
  EXPECT_EQ(changed("rooflab predict 'a --batch 1'", batch("2", "1")),
            "rooflab predict 'a --batch 1' --batch 2");
  EXPECT_EQ(changed("rooflab train a", {ChangedMember::channels_last}),
            "rooflab train a --channels-last");
  EXPECT_EQ(changed("rooflab predict net.rec.jsonl --device toy", batch("16", "8")),
            "rooflab predict net.rec.jsonl --device toy --batch 16");
}

TEST(ChangedCommand, TwiceTheBatchOfALayerIsInItsInput) {
  EXPECT_EQ(changed("rooflab predict --layer gelu --input 8x50 --fp16", batch("16", "8")),
            "rooflab predict --layer gelu --input 16x50 --fp16");
  // Not the command of this case.
  EXPECT_EQ(changed("rooflab predict --layer gelu --input 64x50", batch("16", "8")), "");
}

TEST(ChangedCommand, DoublesOnlyANumberThatIsGiven) {
  const RequestChange twice{.member = ChangedMember::batch, .doubles = true};
  EXPECT_EQ(changed("rooflab scale a --batch 48", twice), "rooflab scale a --batch 96");
  EXPECT_EQ(changed("rooflab scale a", twice), "");
  EXPECT_EQ(changed("rooflab scale a --batch 9000000000000", twice), "");
}

// The line is one of a file, which anybody can have written.
TEST(ChangedCommand, AdvisesNothingButRooflab) {
  for (const std::string line :
       {"", "rm -r x", "rooflab predict a; touch x", "rooflab predict $(touch x)",
        "rooflab predict `touch x`", "rooflab predict a\ntouch x", "rooflab predict a > x",
        "A=b rooflab predict a", "rooflab predict 'a", "rooflab"}) {
    EXPECT_EQ(changed(line, batch("2", "1")), "") << line;
  }
}

TEST(ChangedCommand, RequestsHaveTheMembersThatAdviceNames) {
  for (const char* command : {"predict", "measure", "train", "scale"}) {
    for (const char* key : {"batch", "precision"}) {
      EXPECT_NE(request_kind(command).parameters->find(key), nullptr) << command << " " << key;
    }
  }
  for (const char* command : {"measure", "train"}) {
    EXPECT_NE(request_kind(command).parameters->find("data_workers"), nullptr) << command;
    EXPECT_NE(request_kind(command).parameters->find("channels_last"), nullptr) << command;
  }
  EXPECT_EQ(changed_command("rooflab probe",
                            std::vector<RequestChange>{{ChangedMember::device, "cpu"},
                                                       {ChangedMember::save, "cpu.toml"}}),
            "rooflab probe --device cpu --save cpu.toml");
}

TEST(FindingCommands, ALineOfPyTorchStaysWithoutACommand) {
  findings::Finding finding;
  finding.attempt = "a()";
  finding.changes = {batch("2", "1")};
  EXPECT_EQ(with_commands({finding})[0].attempt, "a()");
  finding.command_line = "rooflab predict net --batch 1";
  EXPECT_EQ(with_commands({finding})[0].attempt, "rooflab predict net --batch 2");
}

TEST(FindingCommands, NodesOfAnOnnxFileAreNoModules) {
  findings::Finding finding;
  finding.attempt = "a()";
  finding.command_line = "rooflab predict net --device toy";
  finding.names_module = true;
  EXPECT_EQ(with_commands({finding})[0].attempt, "a()");
  finding.command_line = "rooflab predict net.onnx --device toy";
  EXPECT_EQ(with_commands({finding})[0].attempt, "");
}

// A step in FP32 leaves the tensor cores of a T4 idle: FP16 has 65 TFLOP/s there, FP32 8.1.
TEST(FindingCommands, APredictionHoldsItsFindings) {
  PredictRequest request;
  request.grid.models = {"resnet50"};
  request.grid.device = {"t4"};
  request.grid.network.batch = {64};
  request.grid.network.phase = {Phase::training};
  Session session;
  const PredictResult result = run(request, session);
  ASSERT_FALSE(result.findings.empty());
  EXPECT_EQ(result.findings[0].kind, findings::FindingKind::cuda_core_products);
  EXPECT_THAT(result.findings[0].attempt, StartsWith("rooflab predict resnet50 --device t4"));
}

}  // namespace
}  // namespace rooflab::task
