#include "rooflab/task/measure.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/base/error.hpp"
#include "system/temporary_folder.hpp"
#include "task_with_workers.hpp"

namespace rooflab::task {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// The fake worker stands for rooflab-torch.
class Measure : public TaskWithWorkers<MeasureRequest> {
 protected:
  Measure() {
    request_.models = {"resnet18"};
    request_.device = {"cpu"};
    session_.say = [this](std::string_view line) { said_.emplace_back(line); };
  }

  std::vector<std::string> said_;
};

TEST_F(Measure, RunsEveryCombinationInAWorker) {
  request_.network.batch = {2, 4};
  request_.network.precision = {Precision::fp32, Precision::bf16};
  const MeasureResult result = run(request_, session_);
  ASSERT_EQ(result.cases.size(), 4U);
  EXPECT_TRUE(result.all_ok());
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(result.cases[1].record.identity.precision, Precision::bf16);
  EXPECT_EQ(result.cases[3].record.identity.command,
            "rooflab measure resnet18 --device cpu --batch 4 --precision bf16");
}

TEST_F(Measure, LeavesOutWhatTheFolderHas) {
  const TemporaryFolder folder("measure");
  request_.folder = folder.path();
  (void)run(request_, session_);
  request_.network.batch = {1, 2};
  request_.resume = true;
  (void)run(request_, session_);
  request_.network.batch = {2};
  (void)run(request_, session_);
  EXPECT_THAT(said_, ElementsAre(HasSubstr("1 of 2 cases"), HasSubstr("1 of 1 cases")));
}

TEST_F(Measure, StopsWhenToldTo) {
  session_.should_stop = [] { return true; };
  const MeasureResult result = run(request_, session_);
  EXPECT_TRUE(result.cases.empty());
  EXPECT_TRUE(result.interrupted);
}

// Before the first case has ended there is nothing to be kept: the error is thrown.
TEST_F(Measure, AFullDiskEndsItWithWhatWasMeasured) {
  ::setenv("ROOFLAB_FAKE", "full@alexnet", 1);
  request_.models = {"resnet18", "alexnet", "vgg16"};
  const MeasureResult result = run(request_, session_);
  ASSERT_TRUE(result.failure);
  EXPECT_EQ(result.failure->kind(), ErrorKind::system);
  EXPECT_THAT(result.failure->what(), HasSubstr("the fake disk is full"));
  ASSERT_EQ(result.cases.size(), 1U);
  EXPECT_EQ(result.cases[0].record.identity.model, "resnet18");
  EXPECT_TRUE(result.interrupted);
  request_.models = {"alexnet", "vgg16"};
  EXPECT_THAT(error(), HasSubstr("the fake disk is full"));
  ::unsetenv("ROOFLAB_FAKE");
}

TEST_F(Measure, RefusesADeviceOfTheCatalog) {
  request_.device = {"h200"};
  try {
    (void)run(request_, session_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "--device takes cpu, cuda or cuda:N, not 'h200'");
    EXPECT_THAT(error.hint(), HasSubstr("--as-device"));
  }
}

}  // namespace
}  // namespace rooflab::task
