#include "rooflab/task/evaluate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"
#include "rooflab/task/train.hpp"
#include "system/temporary_folder.hpp"
#include "task_with_workers.hpp"

namespace rooflab::task {
namespace {

using ::testing::StartsWith;

/// Two models, trained by the fake worker, and images to try them on.
class Evaluate : public TaskWithWorkers<EvaluateRequest> {
 protected:
  Evaluate() {
    for (const std::string split : {"train", "test"}) {
      for (const std::string name : {"cat", "dog"}) {
        std::filesystem::create_directories(folder_.path() / "images" / split / name);
        for (const std::string image : {"1.png", "2.png", "3.png", "4.png", "5.png"}) {
          write_file_atomically(folder_.path() / "images" / split / name / image, "");
        }
      }
    }
    TrainRequest train;
    train.model = "resnet18";
    train.variant = "cifar";
    train.data = "folder:" + (folder_.path() / "images").string();
    train.device = "cpu";
    train.batch = 2;
    train.epochs = 1;
    train.runs = 2;
    train.folder = folder_.path() / "runs";
    (void)run(train, session_);
    request_.checkpoints = {train.folder.string()};
    request_.data = train.data;
  }

  TemporaryFolder folder_{"evaluate"};
};

TEST_F(Evaluate, TakesAllRunsOfAFolder) {
  const EvaluateResult result = run(request_, session_);
  ASSERT_EQ(result.summary.evaluations.size(), 2U);
  EXPECT_FALSE(result.interrupted);
  EXPECT_TRUE(result.summary.evaluations[1].checkpoint.ends_with("run-2/weights.pt"));
  EXPECT_EQ(result.summary.evaluations[0].images(), 10);
  EXPECT_DOUBLE_EQ(result.summary.evaluations[0].accuracy().value(), 0.8);
}

TEST_F(Evaluate, StopsWhenToldTo) {
  session_.should_stop = [] { return true; };
  const EvaluateResult result = run(request_, session_);
  EXPECT_TRUE(result.interrupted);
  EXPECT_TRUE(result.summary.evaluations.empty());
}

TEST_F(Evaluate, RefusesAFolderWithoutWeights) {
  request_.checkpoints = {(folder_.path() / "images").string()};
  try {
    (void)run(request_, session_);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), StartsWith("no weights lie in '"));
  }
}

}  // namespace
}  // namespace rooflab::task
