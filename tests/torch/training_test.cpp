// Training by the real worker: a small network on stripes that the test draws, and on a few real
// photographs where they are at hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <random>
#include <thread>

#include "../unit/base/full_disk.hpp"
#include "../unit/base/thrown_error.hpp"
#include "../unit/data/image_files.hpp"
#include "../unit/record/equal_fields.hpp"
#include "base/format.hpp"
#include "describe/json_fields.hpp"
#include "describe/schema.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/system/file.hpp"
#include "system/child_process.hpp"

extern char** environ;  // NOLINT(readability-redundant-declaration)

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;
using record::EpochResult;
using record::Status;
using record::TrainingRun;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::SizeIs;

/// Two convolutions with batch norm, mean over the image, dropout, scores.
graph::Graph small_network(std::int64_t batch, std::int64_t side, std::int64_t classes,
                           std::int64_t channels = 8) {
  graph::GraphBuilder b("small");
  graph::ValueId x = b.input("input", {batch, 3, side, side});
  for (int layer = 0; layer < 2; ++layer) {
    const auto scope = b.scope(layer);
    const std::int64_t stride = layer + 1;
    x = b.conv(x, "conv",
               {.out_channels = channels * stride,
                .kernel = 3,
                .stride = stride,
                .padding = 1,
                .bias = false});
    x = b.batch_norm(x, "bn");
    x = b.unary(x, graph::UnaryFunction::relu, "relu", true);
  }
  x = b.adaptive_pool(x, "pool", 1);
  x = b.flatten(x, 1, "flatten");
  x = b.dropout(x, "dropout", 0.2);
  x = b.linear(x, "fc", classes);
  return std::move(b).finish({x});
}

class Training : public data::InFolder {
 protected:
  static constexpr std::int64_t side = 16;

  void SetUp() override {
    data::InFolder::SetUp();
    for (const char* const split : {"train", "test"}) {
      const int images = std::string(split) == "train" ? 24 : 11;
      for (int i = 0; i < images; ++i) {
        write(format("data/{}/across/{}.png", split, i), stripes(i, true));
        write(format("data/{}/down/{}.png", split, i), stripes(i, false));
      }
    }
  }

  /// An image with random phase, width, colour and noise; test and training images differ in the
  /// seed.
  static std::string stripes(int number, bool across) {
    static std::mt19937 random(7);
    const auto draw = [](int limit) { return static_cast<int>(random() % limit); };
    const int phase = draw(8) + number % 2;
    const int width = 2 + draw(2);
    const std::array<int, 3> colour{100 + draw(100), 100 + draw(100), 100 + draw(100)};
    std::vector<std::vector<std::uint8_t>> rows(side);
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) {
        const bool light = ((across ? y : x) + phase) / width % 2 == 0;
        for (const int c : colour) {
          rows[y].push_back(static_cast<std::uint8_t>((light ? c : c / 3) + draw(40)));
        }
      }
    }
    return data::png_file(side, side, rows);
  }

  [[nodiscard]] TrainingRequest request(const std::string& name = "run") const {
    TrainingRequest result;
    result.request.graph = small_network(8, side, 2);
    record::CaseIdentity& identity = result.request.identity;
    identity.model = "small";
    identity.device = "cpu";
    identity.batch = 8;
    identity.phase = Phase::training;
    identity.optimizer = "sgd-momentum";
    identity.data = "cifar10:" + (folder_ / "data").string();
    result.request.settings.seed = 3;
    result.request.settings.threads = 1;
    result.recipe.epochs = 6;
    result.recipe.learning_rate = 0.1;
    result.recipe.label_smoothing = 0.1;
    result.folder = folder_ / name;
    return result;
  }

  [[nodiscard]] static TrainingRun train(const TrainingRequest& request) {
    return run_training(request, {.worker = ROOFLAB_TORCH_WORKER});
  }

  /// All of an epoch but its times.
  static std::vector<EpochResult> without_times(std::vector<EpochResult> epochs) {
    for (EpochResult& epoch : epochs) {
      epoch.train_s = epoch.validation_s = epoch.wait_s = epoch.issue_s = epoch.elapsed_s = 0.0;
    }
    return epochs;
  }
};

TEST_F(Training, ReachesAnAccuracyTwiceTheSame) {
  TrainingRequest first = request("first");
  first.target_accuracy = 0.95;
  const TrainingRun run = train(first);
  ASSERT_EQ(run.status, Status::ok) << run.message;
  ASSERT_TRUE(run.reached_s.has_value()) << run.epochs.back().accuracy.value_or(0.0);
  EXPECT_EQ(*run.reached_s, run.epochs.back().elapsed_s);
  EXPECT_EQ(run.train_images, 48);
  EXPECT_EQ(run.validation_images, 22);  // no multiple of the batch: the last one is padded
  EXPECT_THAT(run.classes, ElementsAre("across", "down"));
  EXPECT_EQ(run.epochs[0].images, 48);
  EXPECT_GE(run.epochs.back().accuracy.value(), 0.95);
  // Hits are whole images.
  const double hits = run.epochs[0].accuracy.value() * 22.0;
  EXPECT_NEAR(hits, std::round(hits), 1e-9);
  EXPECT_GE(run.epochs[0].train_s, run.epochs[0].wait_s);
  EXPECT_EQ(run.epochs[0].issue_s, 0.0);
  EXPECT_THAT(run.weights_fingerprint, SizeIs(16));

  TrainingRequest second = first;
  second.folder = folder_ / "second";
  second.request.settings.data_workers = 1;  // batches do not depend on it
  const TrainingRun again = train(second);
  EXPECT_EQ(again.weights_fingerprint, run.weights_fingerprint);
  EXPECT_EQ(without_times(again.epochs), without_times(run.epochs));
  second.request.settings.seed = 4;
  EXPECT_NE(train(second).weights_fingerprint, run.weights_fingerprint);
}

TEST_F(Training, LeavesALogAsMlperfReadsIt) {
  TrainingRequest one = request();
  one.recipe.epochs = 1;
  ASSERT_EQ(train(one).status, Status::ok);
  const std::string log = read_file(one.folder / "train.log");
  for (const char* const key :
       {"submission_benchmark", "seed", "global_batch_size", "opt_base_learning_rate", "init_start",
        "init_stop", "run_start", "epoch_start", "epoch_stop", "eval_start", "eval_accuracy",
        "eval_stop", "train_samples", "eval_samples", "run_stop"}) {
    EXPECT_THAT(log, HasSubstr(format("\"key\": \"{}\"", key)));
  }
  EXPECT_THAT(log, HasSubstr("\"status\": \"success\""));
  for (const std::string& line : split(log, '\n')) {
    if (line.empty()) continue;
    ASSERT_TRUE(line.starts_with(":::MLLOG {"));
    EXPECT_TRUE(parse_json(line.substr(9), "log").contains("time_ms"));
  }
}

/// A worker that is killed a little after its first checkpoint, within an epoch mostly.
void kill_while_training(const TrainingRequest& request, const fs::path& request_file,
                         int delay_ms) {
  save_file(request_file, request);
  std::string program = ROOFLAB_TORCH_WORKER;
  std::string verb = "train";
  std::string from = request_file.string();
  std::string to = (request.folder / "run.json").string();
  std::array<char*, 5> arguments = {program.data(), verb.data(), from.data(), to.data(), nullptr};
  const fs::path checkpoint = request.folder / "checkpoint.pt";
  std::error_code ignored;
  const auto before = fs::last_write_time(checkpoint, ignored);
  pid_t child = 0;
  ASSERT_EQ(::posix_spawn(&child, program.c_str(), nullptr, nullptr, arguments.data(), environ), 0);
  for (int i = 0; i < 3000 && fs::last_write_time(checkpoint, ignored) == before; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
  ::kill(child, SIGKILL);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
}

TEST_F(Training, KilledAndResumedGivesTheSameWeights) {
  const TrainingRun whole = train(request("whole"));
  ASSERT_EQ(whole.status, Status::ok) << whole.message;
  TrainingRequest killed = request("killed");
  killed.checkpoint_period_s = 0.0;  // after every step
  killed.resume = true;
  fs::create_directories(killed.folder);
  std::random_device device;
  for (int i = 0; i < 3; ++i) {
    const int delay_ms = static_cast<int>(device() % 60);
    SCOPED_TRACE(format("killed {} ms after a checkpoint", delay_ms));
    kill_while_training(killed, folder_ / "request.json", delay_ms);
  }
  const TrainingRun resumed = train(killed);
  ASSERT_EQ(resumed.status, Status::ok) << resumed.message;
  EXPECT_GE(resumed.resumed, 1);
  EXPECT_EQ(resumed.weights_fingerprint, whole.weights_fingerprint);
  EXPECT_EQ(without_times(resumed.epochs), without_times(whole.epochs));
}

// A stop by the user leaves a checkpoint of the step under way, though none was due.
TEST_F(Training, StoppedAndResumedGivesTheSameWeights) {
  TrainingRequest one = request("whole");
  one.recipe.epochs = 60;
  one.checkpoint_period_s = 1000.0;
  const TrainingRun whole = train(one);
  ASSERT_EQ(whole.status, Status::ok) << whole.message;
  one.folder = folder_ / "stopped";
  bool trains = false;
  RunOptions options{.worker = ROOFLAB_TORCH_WORKER};
  options.on_progress = [&](const Progress& progress) {
    trains = trains || progress.stage.starts_with("epoch");
  };
  options.should_stop = [&] { return trains; };
  const TrainingRun before = run_training(one, options);
  ASSERT_EQ(before.status, Status::interrupted) << before.message;
  EXPECT_LT(before.epochs.size(), 60U);
  one.resume = true;
  const TrainingRun resumed = train(one);
  ASSERT_EQ(resumed.status, Status::ok) << resumed.message;
  EXPECT_EQ(resumed.resumed, 1);
  EXPECT_EQ(resumed.weights_fingerprint, whole.weights_fingerprint);
  EXPECT_EQ(without_times(resumed.epochs), without_times(whole.epochs));
}

// The checkpoint is the first file that is too large.
TEST_F(Training, AFullDiskLeavesNoHalfCheckpoint) {
  TrainingRequest one = request("full");
  one.request.graph = small_network(8, side, 2, 64);
  one.recipe.epochs = 1;
  {
    const FullDisk full(100'000);
    EXPECT_THAT(thrown_message(ErrorKind::system, [&] { return train(one); }),
                HasSubstr("checkpoint.pt': File too large"));
  }
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : fs::directory_iterator(one.folder)) {
    names.push_back(entry.path().filename().string());
  }
  EXPECT_THAT(names, testing::UnorderedElementsAre("run.json", "train.log"));
  one.resume = true;
  EXPECT_EQ(train(one).status, Status::ok);
}

TEST_F(Training, OfAnotherNetworkIsNotResumed) {
  TrainingRequest one = request();
  one.recipe.epochs = 1;
  ASSERT_EQ(train(one).status, Status::ok);
  const std::string before = read_file(one.folder / "run.json");
  one.resume = true;
  one.request.graph = small_network(8, side, 2, 4);
  EXPECT_THROW((void)train(one), Error);
  EXPECT_EQ(read_file(one.folder / "run.json"), before);
  fs::remove(one.folder / "run.json");  // then the checkpoint itself says so
  const TrainingRun refused = train(one);
  EXPECT_EQ(refused.status, Status::failed);
  EXPECT_THAT(refused.message, HasSubstr("the checkpoint is of another run: the network"));
}

TEST_F(Training, WhoseLossIsNoNumberFails) {
  TrainingRequest one = request();
  one.recipe.learning_rate = 1e30;
  const TrainingRun run = train(one);
  EXPECT_EQ(run.status, Status::failed);
  EXPECT_THAT(run.message, HasSubstr("loss is not a finite number any more in epoch 1"));
  EXPECT_FALSE(fs::exists(one.folder / "weights.pt"));
}

TEST_F(Training, EndsWhenItsTimeIsOver) {
  TrainingRequest one = request();
  one.recipe.epochs = 100'000;
  one.max_time_s = 0.2;
  const TrainingRun run = train(one);
  ASSERT_EQ(run.status, Status::ok) << run.message;
  const EpochResult& last = run.epochs.back();
  EXPECT_FALSE(last.accuracy);
  EXPECT_GT(last.images, 0);
  EXPECT_GT(last.train_s, 0.0);
}

TEST_F(Training, TakesNoMoreImagesThanAsked) {
  TrainingRequest one = request();
  one.recipe.epochs = 2;
  one.max_images = 20;  // two batches of 8
  const TrainingRun run = train(one);
  ASSERT_EQ(run.status, Status::ok) << run.message;
  EXPECT_EQ(run.epochs[0].images, 16);
  EXPECT_EQ(run.epochs[1].images, 16);
}

// There are 22.
TEST_F(Training, ValidatesOnNoMoreImagesThanAsked) {
  TrainingRequest one = request();
  one.recipe.epochs = 1;
  one.max_images = 9;
  const TrainingRun run = train(one);
  ASSERT_EQ(run.status, Status::ok) << run.message;
  EXPECT_EQ(run.validation_images, 9);
  EXPECT_TRUE(run.epochs.back().accuracy);
}

class Evaluating : public Training {
 protected:
  [[nodiscard]] std::vector<record::Evaluation> evaluate(const fs::path& checkpoint,
                                                         const fs::path& data,
                                                         std::int64_t batch) const {
    EvaluationRequest wanted;
    wanted.checkpoints = {checkpoint};
    wanted.data = "folder:" + data.string();
    wanted.batch = batch;
    return run_evaluation(wanted, {.worker = ROOFLAB_TORCH_WORKER});
  }

  [[nodiscard]] std::string refusal(const fs::path& checkpoint) const {
    try {
      (void)evaluate(checkpoint, folder_ / "data/test", 4);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      return error.full_message();
    }
    return "none";
  }
};

// The accuracy of the run's own validation, whatever the batch and from either file; then with the
// classes' names in another case, another order and one of them missing.
TEST_F(Evaluating, MatchesTheRunsOwnValidation) {
  TrainingRequest one = request();
  one.target_accuracy = 0.95;
  const TrainingRun run = train(one);
  ASSERT_TRUE(run.reached_s.has_value());
  for (const char* const file : {"weights.pt", "checkpoint.pt"}) {
    const auto results = evaluate(one.folder / file, folder_ / "data/test", 5);
    ASSERT_THAT(results, SizeIs(1));
    EXPECT_EQ(results[0].images(), 22);
    EXPECT_DOUBLE_EQ(results[0].accuracy().value(), run.epochs.back().accuracy.value());
    EXPECT_NEAR(results[0].loss, run.epochs.back().validation_loss.value(), 1e-5);
    EXPECT_EQ(results[0].model, "small");
  }
  fs::create_directories(folder_ / "wild");
  fs::copy(folder_ / "data/test/down", folder_ / "wild/DOWN", fs::copy_options::recursive);
  const record::Evaluation wild = evaluate(one.folder / "weights.pt", folder_ / "wild", 4).at(0);
  EXPECT_THAT(wild.classes, ElementsAre("across", "down"));
  EXPECT_THAT(wild.confusion[0], ElementsAre(0, 0));
  EXPECT_EQ(wild.confusion[1][0] + wild.confusion[1][1], 11);
  EXPECT_GE(wild.confusion[1][1], 10);
  fs::rename(folder_ / "wild/DOWN", folder_ / "wild/up");
  try {
    (void)evaluate(one.folder / "weights.pt", folder_ / "wild", 4);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.full_message(), HasSubstr("has the class 'up'"));
    EXPECT_THAT(error.hint(), HasSubstr("across, down"));
  }
}

TEST_F(Evaluating, OtherFilesAreRefused) {
  TrainingRequest one = request();
  one.recipe.epochs = 1;
  ASSERT_EQ(train(one).status, Status::ok);
  const std::string good = read_file(one.folder / "weights.pt");
  write("short.pt", good.substr(0, good.size() / 2));
  EXPECT_THAT(refusal(folder_ / "short.pt"), HasSubstr("damaged or cut off"));
  write("text.pt", "weights");
  EXPECT_THAT(refusal(folder_ / "text.pt"), HasSubstr("PyTorch did not save it"));
  EXPECT_THAT(refusal(folder_ / "none.pt"), HasSubstr("none.pt"));
}

/// A few photographs of CIFAR-10, where its archive is at hand: in $ROOFLAB_DATASETS or in
/// ../shared/datasets next to the sources.
TEST_F(Training, LearnsFromPhotographs) {
  const char* const named = std::getenv("ROOFLAB_DATASETS");
  const fs::path datasets =
      named != nullptr ? fs::path(named) : fs::path(ROOFLAB_SOURCE_DIR) / "../shared/datasets";
  const fs::path archive = datasets / "cifar10-jpeg.tar.xz";
  if (!fs::exists(archive)) GTEST_SKIP() << "no " << archive.string();
  const fs::path photographs = folder_ / "photographs";
  fs::create_directories(photographs);
  const std::array<std::string, 8> arguments = {"-xJf",
                                                archive.string(),
                                                "-C",
                                                photographs.string(),
                                                "--wildcards",
                                                "train/frog/00*.jpg",
                                                "train/ship/00*.jpg",
                                                "test/*/00[0-4]*.jpg"};
  ASSERT_EQ(run_child("/bin/tar", arguments, {}).exit_status, 0);
  for (const fs::directory_entry& entry : fs::directory_iterator(photographs / "test")) {
    const std::string name = entry.path().filename();
    if (name != "frog" && name != "ship") fs::remove_all(entry.path());
  }
  TrainingRequest one = request();
  one.request.graph = small_network(8, 32, 2);
  one.request.identity.data = "cifar10:" + photographs.string();
  one.target_accuracy = 0.8;
  one.recipe.epochs = 20;
  const TrainingRun run = train(one);
  ASSERT_EQ(run.status, Status::ok) << run.message;
  EXPECT_TRUE(run.reached_s.has_value()) << run.epochs.back().accuracy.value_or(0.0);
  one.folder = folder_ / "again";
  EXPECT_EQ(train(one).weights_fingerprint, run.weights_fingerprint);
}

}  // namespace
}  // namespace rooflab::engine
