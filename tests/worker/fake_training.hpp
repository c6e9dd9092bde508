#pragma once

// What the fake worker says when it is asked to train or to evaluate: figures that are the same
// every time and that can be worked out by hand.
//
//   accuracy   of epoch e (from 0): 0.95 - 0.75 / (e + 1) + 0.01 (seed mod 4)
//   loss       1 - accuracy; trained on: accuracy 0.01 above, loss as much below
//   an epoch   10 s of training and 1 s of validation, each a tenth longer for odd seeds; 5 % of
//              the training is waiting for data, 20 % issuing
//   classes    the folders of the data's train/ (or of the data itself), images the files in them
//   --max-time amp trains twice the images in it
//   samples    one a second, 60 % busy, memory 30 %, 400 W
//   evaluate   of a class's n images n / 5 are taken for the next class, the others are right
//
// $ROOFLAB_FAKE's rules `HOW@MODEL`: `crash` dies after the second epoch unless it resumes, `slow`
// waits after the second epoch, `full` finds the disk full then, `fail` ends with a reason, `nan`
// fails like a run whose loss is not finite.

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <thread>

#include "base/format.hpp"
#include "describe/schema.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/record/training_run.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab {

inline void say(std::string stage, double done) {
  std::cout << to_json(engine::Progress{std::move(stage), done, 1.0}).dump() << std::endl;
}

class FakeTraining {
 public:
  FakeTraining(std::string rule, record::Environment environment)
      : rule_(std::move(rule)), environment_(std::move(environment)) {}

  int train(const engine::TrainingRequest& request, const std::string& run_file) {
    if (rule_ == "fail") {
      std::cerr << "the reason\n";
      return 1;
    }
    record::TrainingRun run = begin(request, run_file);
    const bool odd = run.seed % 2 == 1;
    const std::int64_t images = images_of(request, run);
    const auto stop = [&](record::Status status, const std::string& message) {
      run.status = status;
      run.message = message;
    };
    auto epoch = static_cast<std::int64_t>(run.epochs.size());
    bool reached = false;
    for (; epoch < request.recipe.epochs && !reached; ++epoch) {
      if (epoch == 2 && rule_ == "nan") break;
      if (epoch == 2 && rule_ == "crash" && !request.resume) std::abort();
      if (epoch == 2 && rule_ == "full") {
        throw Error(ErrorKind::system, "cannot write 'checkpoint.pt': the fake disk is full");
      }
      if (epoch == 2 && rule_ == "slow") std::this_thread::sleep_for(std::chrono::hours(1));
      record::EpochResult result;
      result.epoch = epoch;
      const double accuracy =
          0.95 - 0.75 / static_cast<double>(epoch + 1) + 0.01 * static_cast<double>(run.seed % 4);
      result.accuracy = accuracy;
      result.validation_loss = 1.0 - accuracy;
      result.train_accuracy = accuracy + 0.01;
      result.train_loss = 0.99 - accuracy;
      result.images = images;
      result.learning_rate = record::learning_rate_at(request.recipe, epoch, 1);
      result.train_s = odd ? 11.0 : 10.0;
      result.validation_s = odd ? 1.1 : 1.0;
      result.wait_s = 0.05 * result.train_s;
      result.issue_s = run.identity.device == "cpu" ? 0.0 : 0.2 * result.train_s;
      const double before = run.epochs.empty() ? 0.0 : run.epochs.back().elapsed_s;
      if (request.max_time_s > 0.0) {  // ends within the first epoch, without validation
        result.train_s = request.max_time_s;
        if (run.identity.precision == Precision::amp) result.images *= 2;
        result.validation_s = 0.0;
        result.accuracy.reset();
        result.validation_loss.reset();
      }
      result.elapsed_s = before + result.train_s + result.validation_s;
      run.epochs.push_back(result);
      if (request.max_time_s > 0.0) break;
      reached = request.target_accuracy && accuracy >= *request.target_accuracy;
      if (reached) run.reached_s = result.elapsed_s;
      say(format("epoch {}/{}, accuracy {:.3f}", epoch + 1, request.recipe.epochs, accuracy),
          static_cast<double>(epoch + 1) / static_cast<double>(request.recipe.epochs));
      stop(record::Status::interrupted, "the run is under way");
      save_file(run_file, run);
    }
    stop(record::Status::ok, "");
    if (rule_ == "nan") {
      stop(record::Status::failed, "the loss is not a number any more in epoch 3");
    } else {
      run.weights_fingerprint = format("{:016x}", run.seed * 1000 + run.epochs.size());
      run.checkpoint = (request.folder / "weights.pt").string();
      write_file_atomically(
          run.checkpoint,
          Json{{"fake_model", run.identity.model}, {"classes", run.classes}, {"seed", run.seed}}
              .dump());
    }
    save_file(run_file, run);
    return 0;
  }

  static int evaluate(const engine::EvaluationRequest& request, const std::string& result_file) {
    engine::EvaluationResult result;
    try {
      for (const std::filesystem::path& path : request.checkpoints) {
        result.evaluations.push_back(evaluate_one(request, path));
      }
    } catch (const Error& error) {
      result.fault = {error.what(), error.hint(), error.location().file};
    }
    save_file(result_file, result);
    return 0;
  }

 private:
  record::TrainingRun begin(const engine::TrainingRequest& request, const std::string& run_file) {
    record::TrainingRun run;
    if (request.resume && std::filesystem::exists(run_file)) {
      run = load_file<record::TrainingRun>(run_file);
      ++run.resumed;
    }
    run.identity = request.request.identity;
    run.identity.graph = graph::to_text(request.request.graph);
    run.recipe = request.recipe;
    run.seed = request.request.settings.seed;
    run.target_accuracy = request.target_accuracy;
    run.environment = environment_;
    run.setup_s = 0.5;
    run.data_workers = request.request.settings.data_workers;
    const std::map<std::string, std::int64_t> train = class_folders(run.identity.data, "train");
    run.classes.clear();
    run.train_images = run.validation_images = 0;
    for (const auto& [name, images] : train) {
      run.classes.push_back(name);
      run.train_images += images;
    }
    for (const auto& [name, images] : class_folders(run.identity.data, "test")) {
      run.validation_images += images;
    }
    if (run.identity.device != "cpu") {
      record::SampleSeries series{run.identity.device, environment_.device.name, {}};
      for (int i = 0; i < 10; ++i) {
        record::Sample sample;
        sample.time_s = i;
        sample.core_utilization = 0.6;
        sample.memory_utilization = 0.3;
        sample.power_w = 400.0;
        series.samples.push_back(sample);
      }
      run.samples = {series};
    }
    return run;
  }

  static std::int64_t images_of(const engine::TrainingRequest& request,
                                const record::TrainingRun& run) {
    const std::int64_t batch = run.identity.batch;
    const std::int64_t wanted =
        request.max_images > 0 ? std::min(request.max_images, run.train_images) : run.train_images;
    return wanted / batch * batch;
  }

  /// Files by class folder.
  static std::map<std::string, std::int64_t> class_folders(const std::string& data,
                                                           const char* split) {
    namespace fs = std::filesystem;
    fs::path root = data.substr(data.find(':') + 1);
    std::error_code ignored;
    if (fs::is_directory(root / split, ignored)) root /= split;
    std::map<std::string, std::int64_t> result;
    for (const fs::directory_entry& folder : fs::directory_iterator(root, ignored)) {
      if (!folder.is_directory()) continue;
      result[folder.path().filename().string()] =
          std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator());
    }
    return result;
  }

  static record::Evaluation evaluate_one(const engine::EvaluationRequest& request,
                                         const std::filesystem::path& path) {
    const std::string file = path.string();
    const std::string text = read_file(path);
    if (!text.starts_with("{\"fake_model\"")) {
      throw Error(ErrorKind::input, "this is not a checkpoint of Rooflab", "give weights.pt",
                  {file, {}, {}, {}});
    }
    const Json json = parse_json(text, file);
    const JsonFields fields(json, file);
    record::Evaluation result;
    result.checkpoint = file;
    result.model = fields.text("fake_model");
    result.data = request.data;
    result.classes = fields.texts("classes");
    const std::size_t n = result.classes.size();
    result.confusion.assign(n, std::vector<std::int64_t>(n, 0));
    for (const auto& [name, images] : class_folders(request.data, "test")) {
      const auto found = std::find_if(
          result.classes.begin(), result.classes.end(),
          [&, name = name](const std::string& c) { return lowercase(c) == lowercase(name); });
      if (found == result.classes.end()) {
        throw Error(ErrorKind::input, format("the model does not know the class '{}'", name),
                    "it knows " + join(result.classes, ", "), {request.data, {}, {}, {}});
      }
      const auto label = static_cast<std::size_t>(found - result.classes.begin());
      const std::int64_t wrong = n > 1 ? images / 5 : 0;
      result.confusion[label][label] += images - wrong;
      result.confusion[label][(label + 1) % n] += wrong;
    }
    result.loss = 1.0 - result.accuracy().value_or(0.0);
    return result;
  }

  std::string rule_;
  record::Environment environment_;
};

}  // namespace rooflab
