#include "rooflab/task/scale.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "../base/note_matchers.hpp"
#include "rooflab/base/error.hpp"
#include "system/temporary_folder.hpp"
#include "task/task_notes.hpp"
#include "task_with_workers.hpp"

namespace rooflab::task {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

/// The fake worker stands for each rank.
class Scale : public TaskWithWorkers<ScaleRequest> {
 protected:
  Scale() {
    request_.models = {"resnet18"};
    request_.device = {"cpu", "cpu"};
    request_.network.batch = {8};
  }

  /// The number of ranks and the batch of one.
  static std::vector<std::pair<int, std::int64_t>> sizes(const ScaleResult& result) {
    std::vector<std::pair<int, std::int64_t>> sizes;
    for (const record::ScaleRun& run : result.runs) {
      sizes.emplace_back(run.ranks_wanted, run.identity.batch);
    }
    return sizes;
  }
};

TEST_F(Scale, RunsEveryNumberOfDevices) {
  const ScaleResult result = run(request_, session_);
  EXPECT_THAT(sizes(result), ElementsAre(Pair(1, 8), Pair(2, 8)));
  EXPECT_TRUE(result.all_ok());
  EXPECT_TRUE(result.reports);
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(result.runs[1].identity.command,
            "rooflab scale resnet18 --device cpu,cpu --gpus 2 --batch 8");
  ASSERT_EQ(result.scaling.series.size(), 1U);
  EXPECT_EQ(result.scaling.series[0].rows.size(), 2U);
  EXPECT_THAT(result.scaling.notes,
              ElementsAre(HasValue(says.no_prediction_of_device, "--as-device")));
}

TEST_F(Scale, RunsOnceWhatBothKindsShare) {
  request_.scaling = ScaledBatch::both;
  EXPECT_THAT(sizes(run(request_, session_)), ElementsAre(Pair(1, 8), Pair(2, 8), Pair(2, 4)));
}

TEST_F(Scale, ReportsAWholeFolderWithoutAWorker) {
  const TemporaryFolder folder("scale");
  request_.folder = folder.path();
  (void)run(request_, session_);
  const TemporaryFolder no_workers("scale");
  ::setenv("ROOFLAB_WORKERS", no_workers.path().c_str(), 1);
  request_.resume = true;
  EXPECT_THAT(sizes(run(request_, session_)), ElementsAre(Pair(1, 8), Pair(2, 8)));
}

TEST_F(Scale, StopsWhenToldTo) {
  session_.should_stop = [] { return true; };
  const ScaleResult result = run(request_, session_);
  EXPECT_TRUE(result.runs.empty());
  EXPECT_TRUE(result.interrupted);
}

TEST_F(Scale, RefusesDevicesThatCannotTrainTogether) {
  request_.device = {"cpu", "cuda:0"};
  EXPECT_EQ(error(), "--device: CPUs and GPUs cannot train together");
  request_.device = {"cuda:1", "cuda:1"};
  EXPECT_EQ(error(), "--device names cuda:1 twice");
}

TEST_F(Scale, RefusesMoreRanksThanDevices) {
  request_.gpus = {1, 3};
  EXPECT_EQ(error(), "--gpus 3: --device names only 2");
}

}  // namespace
}  // namespace rooflab::task
