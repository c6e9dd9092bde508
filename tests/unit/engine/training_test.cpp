// The worker here has no framework; tests/worker/fake_training.hpp says what it makes up.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "../base/environment_variable.hpp"
#include "../record/equal_fields.hpp"
#include "describe/json_fields.hpp"
#include "describe/schema.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/system/file.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;
using record::Status;
using record::TrainingRun;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

class Training : public testing::Test {
 protected:
  Training() : folder_("training-test") {
    for (const char* const name : {"train/cat", "train/dog", "test/cat", "test/dog"}) {
      fs::create_directories(folder_.path() / "data" / name);
      for (int i = 0; i < 10; ++i) {
        std::ofstream(folder_.path() / "data" / name / (std::to_string(i) + ".png")) << i;
      }
    }
    graph::GraphBuilder b("net");
    graph::ValueId x = b.input("input", {4, 3, 8, 8});
    x = b.flatten(x, 1, "flatten");
    request_.request.graph = std::move(b).finish({x});
    record::CaseIdentity& identity = request_.request.identity;
    identity.model = "net";
    identity.device = "cuda:0";
    identity.batch = 4;
    identity.phase = Phase::training;
    identity.optimizer = "sgd-momentum";
    identity.data = "folder:" + (folder_.path() / "data").string();
    request_.request.settings.seed = 1;
    request_.recipe.epochs = 5;
    request_.folder = folder_.path() / "run-1";
  }

  [[nodiscard]] TrainingRun run_as(const std::string& rule, RunOptions options = {}) const {
    const EnvironmentVariable fake("ROOFLAB_FAKE", rule + "@net");
    options.worker = ROOFLAB_FAKE_WORKER;
    return run_training(request_, options);
  }
  [[nodiscard]] TrainingRun in_folder() const {
    return load_file<record::TrainingRun>(request_.folder / "run.json");
  }

  TemporaryFolder folder_;
  TrainingRequest request_;
};

TEST_F(Training, RequestReadsBack) {
  request_.target_accuracy = 0.9;
  request_.resume = true;
  request_.checkpoint_period_s = 5.0;
  request_.max_time_s = 20.0;
  request_.max_images = 100;
  request_.recipe.nesterov = true;
  const TrainingRequest read = from_file_json<TrainingRequest>(file_json(request_), "r.json");
  EXPECT_EQ(read.target_accuracy, 0.9);
  EXPECT_EQ(read.folder, request_.folder);
  EXPECT_TRUE(read.resume);
  EXPECT_EQ(read.checkpoint_period_s, 5.0);
  EXPECT_EQ(read.max_time_s, 20.0);
  EXPECT_EQ(read.max_images, 100);
  EXPECT_EQ(read.recipe, request_.recipe);
  EXPECT_EQ(graph::to_text(read.request.graph), graph::to_text(request_.request.graph));
  EXPECT_EQ(read.request.settings.seed, 1U);
  Json json = file_json(request_);
  json["case"]["identity"]["phase"] = "inference";
  EXPECT_THROW((void)from_file_json<TrainingRequest>(json, "r.json"), Error);
  json["kind"] = "case";
  EXPECT_THROW((void)from_file_json<TrainingRequest>(json, "r.json"), Error);
}

TEST(Evaluating, RequestReadsBack) {
  const EvaluationRequest request{{"a.pt", "b.pt"}, "folder:wild", "cuda:1", 64, 3};
  const EvaluationRequest read = from_file_json<EvaluationRequest>(file_json(request), "r.json");
  EXPECT_THAT(read.checkpoints, ElementsAre(fs::path("a.pt"), fs::path("b.pt")));
  EXPECT_EQ(read.data, "folder:wild");
  EXPECT_EQ(read.device, "cuda:1");
  EXPECT_EQ(read.batch, 64);
  EXPECT_EQ(read.data_workers, 3);
}

// Seed 1: accuracy 0.96 - 0.75 / (e + 1) is 0.21, 0.585, 0.71 after 12.1 s each.
TEST_F(Training, EndsAtTheTarget) {
  request_.target_accuracy = 0.7;
  std::vector<std::string> stages;
  RunOptions options;
  options.on_progress = [&](const Progress& progress) { stages.push_back(progress.stage); };
  const TrainingRun run = run_as("nothing", options);
  EXPECT_EQ(run.status, Status::ok);
  ASSERT_EQ(run.epochs.size(), 3U);
  EXPECT_NEAR(run.epochs[2].accuracy.value(), 0.71, 1e-12);
  EXPECT_EQ(run.epochs[2].images, 20);
  ASSERT_TRUE(run.reached_s.has_value());
  EXPECT_NEAR(*run.reached_s, 36.3, 1e-9);
  EXPECT_THAT(run.classes, ElementsAre("cat", "dog"));
  EXPECT_THAT(stages, ElementsAre("epoch 1/5, accuracy 0.210", "epoch 2/5, accuracy 0.585",
                                  "epoch 3/5, accuracy 0.710"));
  EXPECT_EQ(in_folder(), run);
}

TEST_F(Training, ThatNeverReachesTheTargetIsNoFailure) {
  request_.target_accuracy = 0.99;
  const TrainingRun run = run_as("nothing");
  EXPECT_EQ(run.status, Status::ok);
  EXPECT_EQ(run.epochs.size(), 5U);
  EXPECT_FALSE(run.reached_s.has_value());
}

TEST_F(Training, ThatDiesKeepsItsEpochsAndIsTakenUp) {
  const TrainingRun died = run_as("crash");
  EXPECT_EQ(died.status, Status::crashed);
  EXPECT_EQ(died.message, "the worker died of signal 6");
  EXPECT_EQ(died.epochs.size(), 2U);
  EXPECT_EQ(in_folder(), died);
  request_.resume = true;
  const TrainingRun resumed = run_as("crash");
  EXPECT_EQ(resumed.status, Status::ok);
  EXPECT_EQ(resumed.resumed, 1);
  EXPECT_EQ(resumed.epochs.size(), 5U);
  EXPECT_EQ(resumed.epochs[1], died.epochs[1]);
}

// Files of an older run do not belong to this one.
TEST_F(Training, BegunAnewForgetsWhatWasThere) {
  (void)run_as("nothing");
  const TrainingRun run = run_as("fail");
  EXPECT_EQ(run.status, Status::failed);
  EXPECT_EQ(run.message, "the reason");
  EXPECT_TRUE(run.epochs.empty());
  EXPECT_EQ(run.recipe.epochs, 5);
  EXPECT_EQ(run.seed, 1U);
  EXPECT_FALSE(fs::exists(request_.folder / "weights.pt"));
}

// Half files of a process that was killed are removed; a user's file next to them is not.
TEST_F(Training, RemovesItsOwnPartsOnly) {
  fs::create_directories(request_.folder);
  const auto path = [this](const char* name) { return request_.folder / name; };
  for (const char* const name : {"weights.pt.part", "run.json.mine.part", "notes.part",
                                 "checkpoint.pt.01ab89ef.rooflab.part", "checkpoint.pt.123.part"}) {
    std::ofstream(path(name)) << "half";
  }
  (void)run_as("accuracy=0.9");
  EXPECT_TRUE(fs::exists(path("weights.pt.part")));
  EXPECT_TRUE(fs::exists(path("run.json.mine.part")));
  EXPECT_TRUE(fs::exists(path("notes.part")));
  EXPECT_FALSE(fs::exists(path("checkpoint.pt.01ab89ef.rooflab.part")));
  EXPECT_FALSE(fs::exists(path("checkpoint.pt.123.part")));
}

TEST_F(Training, IsStoppedWhenTheUserWantsIt) {
  const auto start = std::chrono::steady_clock::now();
  RunOptions options;
  options.should_stop = [&] {
    return std::chrono::steady_clock::now() - start > std::chrono::milliseconds(500);
  };
  const TrainingRun run = run_as("slow", options);
  EXPECT_EQ(run.status, Status::interrupted);
  EXPECT_EQ(run.message, "stopped by the user");
  EXPECT_EQ(run.epochs.size(), 2U);
  EXPECT_EQ(in_folder().status, Status::interrupted);
}

TEST_F(Training, AnotherRunsFolderIsRefusedAndKept) {
  const TrainingRun before = run_as("nothing");
  request_.resume = true;
  const auto refusal = [&](const TrainingRequest& request) {
    try {
      (void)run_training(request, {.worker = ROOFLAB_FAKE_WORKER});
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return std::string(error.what());
    }
    return std::string("none");
  };
  TrainingRequest other = request_;
  other.request.settings.seed = 2;
  EXPECT_THAT(refusal(other), HasSubstr("the seed is 1, not 2"));
  other = request_;
  other.recipe.learning_rate = 0.2;
  EXPECT_THAT(refusal(other), HasSubstr("its recipe's learning_rate is 0.1, not 0.2"));
  other = request_;
  other.request.identity.precision = Precision::amp;
  EXPECT_THAT(refusal(other), HasSubstr("the precision is fp32, not amp"));
  other = request_;
  graph::GraphBuilder b("net");
  const graph::ValueId x = b.input("input", {4, 3, 16, 16});
  const graph::ValueId flat = b.flatten(x, 1, "flatten");
  other.request.graph = std::move(b).finish({flat});
  EXPECT_THAT(refusal(other), HasSubstr("the network, net, is not the same"));
  EXPECT_EQ(in_folder(), before);
  other = request_;  // these may change
  other.target_accuracy = 0.5;
  other.max_time_s = 3.0;
  EXPECT_EQ(refusal(other), "none");
}

TEST_F(Training, EvaluatesItsModels) {
  (void)run_as("nothing");
  EvaluationRequest request;
  request.checkpoints = {request_.folder / "weights.pt"};
  request.data = request_.request.identity.data;
  const std::vector<record::Evaluation> results =
      run_evaluation(request, {.worker = ROOFLAB_FAKE_WORKER});
  ASSERT_EQ(results.size(), 1U);
  EXPECT_EQ(results[0].model, "net");
  EXPECT_THAT(results[0].confusion, ElementsAre(ElementsAre(8, 2), ElementsAre(2, 8)));
  EXPECT_DOUBLE_EQ(results[0].accuracy().value(), 0.8);
}

TEST_F(Training, EvaluationSaysWhatIsWrongWithModelsAndData) {
  (void)run_as("nothing");
  EvaluationRequest request;
  request.checkpoints = {request_.folder / "weights.pt"};
  request.data = request_.request.identity.data;
  const auto error_of = [&](const fs::path& worker) -> std::string {
    try {
      (void)run_evaluation(request, {.worker = worker});
    } catch (const Error& error) {
      return (error.kind() == ErrorKind::input ? "input: " : "capability: ") + error.full_message();
    }
    return "none";
  };
  fs::create_directories(folder_.path() / "data/test/bird");
  std::ofstream(folder_.path() / "data/test/bird/1.png") << 1;
  EXPECT_THAT(error_of(ROOFLAB_FAKE_WORKER), HasSubstr("does not know the class 'bird'"));
  request.checkpoints = {request_.folder / "run.json"};
  EXPECT_THAT(error_of(ROOFLAB_FAKE_WORKER), HasSubstr("run.json: this is not a checkpoint"));
  EXPECT_THAT(error_of(ROOFLAB_FAKE_WORKER), StartsWith("input: "));
  EXPECT_THAT(error_of("/bin/false"), StartsWith("capability: the worker /bin/false"));
}

}  // namespace
}  // namespace rooflab::engine
