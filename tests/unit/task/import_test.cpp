#include "rooflab/task/import.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/base/error.hpp"
#include "task/task_notes.hpp"

namespace rooflab::task {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

const std::string logs = ROOFLAB_SOURCE_DIR "/tests/data/import/ncu/";

ImportResult imported(const ImportRequest& request) {
  Session session;
  session.command = "rooflab import";
  return run(request, session);
}

TEST(Import, ChecksALogAgainstItsNetwork) {
  ImportRequest request;
  request.files = {logs + "resnet18-b1-train-tf32.csv"};
  request.check = "resnet18";
  request.network.phase = {Phase::training};
  const ImportResult result = imported(request);
  ASSERT_EQ(result.recorded.imported.size(), 1U);
  const analyze::ImportedCase& log = result.recorded.imported.front();
  EXPECT_EQ(log.check->network, "resnet18, batch 1, training");
  EXPECT_EQ(log.record.identity.command, "rooflab import");
  EXPECT_TRUE(log.check->passes());
  EXPECT_TRUE(result.complete());
}

TEST(Import, AnotherNetworkDoesNotPass) {
  ImportRequest request;
  request.files = {logs + "resnet18-b1-train-tf32.csv"};
  request.check = "resnet50";
  request.network.phase = {Phase::training};
  EXPECT_FALSE(imported(request).complete());
}

TEST(Import, NeedsNoFileForTheCommandLineOfNcu) {
  ImportRequest request;
  request.ncu_command = "9.0";
  EXPECT_THAT(imported(request).ncu_command, StartsWith("ncu --csv"));
}

TEST(Import, NeedsAFileOtherwise) {
  try {
    (void)imported({});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.hint(), HasSubstr("--ncu-command"));
  }
}

/// The row of a log that is imported.
record::KernelSums totals_of(const ImportRequest& request) {
  return imported(request).recorded.imported.front().totals;
}

ImportRequest published_log() {
  ImportRequest request;
  request.files = {logs + "text-2021.out"};
  return request;
}

TEST(Import, PublishedMetricsAreALowerBound) {
  const record::KernelSums totals = totals_of(published_log());
  EXPECT_FALSE(totals.at(record::KernelFigure::flops));
  EXPECT_EQ(totals.at(record::KernelFigure::collected_flops), 231'244'728.0);
}

TEST(Import, DeviceAndPrecisionRuleOutTensorWork) {
  ImportRequest request = published_log();
  request.device = {"v100-sxm2-16gb"};
  request.precision = Precision::fp32;
  const ImportResult result = imported(request);
  const analyze::ImportedCase& log = result.recorded.imported.front();
  EXPECT_TRUE(log.record.tensor_work_ruled_out);
  EXPECT_EQ(log.totals.at(record::KernelFigure::flops), 231'244'728.0);
  // 59.74 FLOP/B of 17.44: compute. 8.2 of 15.7 TFLOP/s.
  ASSERT_TRUE(log.roof_place());
  EXPECT_EQ(log.roof_place()->bound, predict::Bound::compute);
  EXPECT_NEAR(log.roof_place()->attainable_share, 231'244'728.0 / 28.2e-6 / 15.7e12, 1e-6);
  // fp16 may have been on tensor cores.
  request.precision = Precision::fp16;
  EXPECT_FALSE(totals_of(request).at(record::KernelFigure::flops));
}

TEST(Import, ADeviceWithoutTensorCoresHasNoTensorWork) {
  ImportRequest request = published_log();
  request.device = {"gtx-1080-ti"};
  EXPECT_EQ(totals_of(request).at(record::KernelFigure::flops), 231'244'728.0);
}

TEST(Import, ListsAreForAllFilesOrForEach) {
  ImportRequest request = published_log();
  request.files.push_back(logs + "text-2024-misspelt.out");
  request.device = {"v100-sxm2-16gb", "a100-sxm4-40gb"};
  request.model = {"resnet18"};
  const ImportResult result = imported(request);
  EXPECT_EQ(result.recorded.imported[0].record.identity.model, "resnet18");
  EXPECT_EQ(result.recorded.imported[0].device->id, "v100-sxm2-16gb");
  EXPECT_EQ(result.recorded.imported[1].device->id, "a100-sxm4-40gb");
  request.device.emplace_back("t4");
  EXPECT_THROW((void)imported(request), Error);
  request.device = {"t4"};  // the second log is of compute capability 8.0
  EXPECT_THROW((void)imported(request), Error);
}

const std::string training_trace =
    ROOFLAB_SOURCE_DIR "/tests/data/import/kineto/resnet18-b16-train.pt.trace.json.gz";

TEST(Import, ATraceTellsWhatRan) {
  ImportRequest request;
  request.files = {training_trace};
  request.check = "resnet18";
  request.network.batch = {16};  // no shapes are recorded
  const ImportResult result = imported(request);
  const analyze::ImportedCase& trace = result.recorded.imported.front();
  EXPECT_THAT(trace.time_check->network, StartsWith("resnet18, batch 16, training"));
  EXPECT_TRUE(trace.time_check->passes());
  EXPECT_EQ(trace.record.identity.phase.known(), Phase::training);
  EXPECT_EQ(trace.record.identity.precision.known(), Precision::tf32);
  EXPECT_EQ(trace.record.identity.batch.known(), std::nullopt);
  EXPECT_EQ(trace.record.identity.optimizer, "sgd");
  for (const analyze::ClassCheck& each : trace.time_check->classes) {
    if (each.op_class != graph::OpClass::optimizer) continue;
    // 11.69 M parameters and gradients of 4 bytes are read, parameters written, at 4.8 TB/s.
    EXPECT_NEAR(*each.limit_s, 3.0 * 11'689'512 * 4.0 / 4.8e12, 0.1e-6);
    EXPECT_GT(each.time_s, *each.limit_s);
  }
}

TEST(Import, ATraceOfAnotherCaseIsRefused) {
  const auto message = [](auto change) {
    ImportRequest request;
    request.files = {training_trace};
    request.check = "resnet18";
    change(request);
    try {
      (void)imported(request);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message([](ImportRequest& request) { request.network.phase = {Phase::inference}; }),
              HasSubstr("the trace trains; you asked for inference"));
  EXPECT_THAT(message([](ImportRequest& request) { request.precision = Precision::fp16; }),
              HasSubstr("the trace runs in tf32; you asked for a run in fp16"));
  EXPECT_THAT(message([](ImportRequest& request) {
                request.network.optimizer = schedule::Optimizer::adam;
              }),
              HasSubstr("with sgd; you asked for a run with adam"));
}

// Four times the batch of ResNet-50 takes longer at its limit than the trace's 6.98 ms.
TEST(Import, AStepBelowTheLimitIsNotOfThatNetwork) {
  ImportRequest request;
  request.files = {training_trace};
  request.check = "resnet50";
  request.network.batch = {64};
  const ImportResult result = imported(request);
  EXPECT_FALSE(result.recorded.imported.front().time_check->passes());
  EXPECT_FALSE(result.complete());
}

// No shapes are recorded: nobody knows the batch, and no time is above or below what is expected.
TEST(Import, AnAssumedBatchIsSaidAndNothingIsConcludedFromIt) {
  ImportRequest request;
  request.files = {training_trace};
  request.check = "resnet18";
  const ImportResult result = imported(request);
  const analyze::ImportedCase& trace = result.recorded.imported.front();
  EXPECT_TRUE(trace.time_check->assumes);
  EXPECT_EQ(trace.record.warnings.back(), (Note{says.check_assumes, {"batch 1"}}));
}

}  // namespace
}  // namespace rooflab::task
