#include "rooflab/task/import.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/base/error.hpp"

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

}  // namespace
}  // namespace rooflab::task
