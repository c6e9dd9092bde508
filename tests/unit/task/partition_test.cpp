#include "rooflab/task/partition.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/base/error.hpp"
#include "task_with_workers.hpp"

namespace rooflab::task {
namespace {

using ::testing::ElementsAre;
using ::testing::StartsWith;

/// The fake worker runs the stages.
class Partition : public TaskWithWorkers<PartitionRequest> {
 protected:
  Partition() {
    request_.network.model = "resnet18";
    request_.network.settings.batch = {8};
    request_.target.device = {"h200-sxm", "v100-sxm2-16gb"};
  }
};

TEST_F(Partition, PlansOverTheSlowestLinkThatTheDevicesHave) {
  const analyze::PartitionResult result = run(request_, session_);
  ASSERT_TRUE(result.outcome.plan);
  EXPECT_EQ(result.stages().size(), 2U);
  EXPECT_FALSE(result.run);
  EXPECT_THAT(result.devices, ElementsAre("h200-sxm", "v100-sxm2-16gb"));
  EXPECT_THAT(result.link, StartsWith("NVLink 2"));
}

TEST_F(Partition, RunsThePlanHere) {
  request_.target.device = {"gpu", "cuda:0"};
  request_.link.link = "pcie4";
  request_.measure = true;
  const analyze::PartitionResult result = run(request_, session_);
  EXPECT_THAT(result.devices, ElementsAre("cuda:0", "cuda:0"));
  ASSERT_TRUE(result.run);
  EXPECT_EQ(result.run->status, record::Status::ok);
  EXPECT_TRUE(result.measured_step_s());
}

TEST_F(Partition, RefusesWhatItCannotRun) {
  request_.measure = true;
  EXPECT_EQ(error(), "--measure needs devices that are here, 'h200-sxm' is a name of the catalog");
  request_.target.device = {"cuda:0"};
  EXPECT_EQ(error(), "--device takes two or more, one per stage");
}

}  // namespace
}  // namespace rooflab::task
