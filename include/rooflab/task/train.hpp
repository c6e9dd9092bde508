#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/error.hpp"
#include "rooflab/base/parameter.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/schedule/schedule.hpp"
#include "rooflab/task/session.hpp"
#include "rooflab/training/training_advice.hpp"
#include "rooflab/training/training_summary.hpp"

namespace rooflab::task {

/// `accuracy=0.92`.
struct AccuracyGoal {
  double accuracy = 0.0;

  [[nodiscard]] static AccuracyGoal from_word(std::string_view word, const Parameter& parameter);
  [[nodiscard]] std::string word() const;
};

/// Training of a built-in network to an accuracy, several times; or short trials of what makes it
/// faster; or a summary of runs that are there.
struct TrainRequest {
  static constexpr std::string_view command = "train";

  std::string model;
  std::string data;
  std::string device;
  std::int64_t batch = 128;
  std::optional<AccuracyGoal> until;
  std::int64_t epochs = record::TrainingRecipe().epochs;
  std::int64_t runs = 1;
  std::int64_t seed = 1;
  rooflab::schedule::Optimizer optimizer = rooflab::schedule::Optimizer::sgd_momentum;
  std::optional<double> lr;
  double momentum = record::TrainingRecipe().momentum;
  std::optional<double> weight_decay;
  bool nesterov = false;
  record::LearningRateSchedule schedule = record::LearningRateSchedule::one_cycle;
  std::optional<double> warmup_epochs;
  std::vector<std::int64_t> milestones;
  double label_smoothing = 0.0;
  bool no_augment = false;
  bool deterministic = false;
  Precision precision = Precision::fp32;
  bool channels_last = false;
  std::string variant;
  std::optional<std::int64_t> classes;
  std::optional<std::int64_t> image_size;
  int data_workers = 4;
  double checkpoint_every = engine::TrainingRequest().checkpoint_period_s;
  std::optional<std::int64_t> max_images;
  std::optional<double> max_time;
  bool resume = false;
  bool try_advice = false;          ///< `--try`
  std::vector<std::string> report;  ///< folders of runs to show instead
  std::filesystem::path folder;     ///< for the runs
};
const Parameters& parameters_of(For<TrainRequest>);

struct TrainResult {
  training::TrainingSummary summary;
  training::TrialSummary trials;  ///< trials of `try_advice`
  bool interrupted = false;       ///< runs are missing, or the last is not whole
  bool all_well = true;           ///< every run ended well, at the accuracy that was asked for
  /// What ended the work before its end, a full disk for example: what was done until then is here.
  std::optional<Error> failure = {};
};

/// Throws Error (usage, input, capability, system) for anything that is wrong before the first run
/// has an epoch.
[[nodiscard]] TrainResult run(TrainRequest request, Session& session);

}  // namespace rooflab::task
