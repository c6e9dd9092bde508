#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/error.hpp"
#include "rooflab/describe/parameter.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/findings/finding.hpp"
#include "rooflab/schedule/schedule.hpp"
#include "rooflab/task/session.hpp"
#include "rooflab/training/training_advice.hpp"
#include "rooflab/training/training_summary.hpp"

namespace rooflab::task {

/// A goal given as `accuracy=0.92`.
struct AccuracyGoal {
  double accuracy = 0.0;

  [[nodiscard]] static AccuracyGoal from_word(std::string_view word, const Parameter& parameter);
  [[nodiscard]] std::string word() const;
};

/// Request to train a built-in network to an accuracy, once or more; or for short trials of advice
/// that makes it faster; or for a summary of earlier runs.
struct TrainRequest {
  static constexpr std::string_view command = "train";

  std::string model = {};
  std::string data = {};
  std::string device = {};
  std::int64_t batch = 128;
  std::optional<AccuracyGoal> until = {};
  std::int64_t epochs = record::TrainingRecipe().epochs;
  std::int64_t runs = 1;
  std::int64_t seed = 1;
  rooflab::schedule::Optimizer optimizer = rooflab::schedule::Optimizer::sgd_momentum;
  std::optional<double> lr = {};
  double momentum = record::TrainingRecipe().momentum;
  std::optional<double> weight_decay = {};
  bool nesterov = false;
  record::LearningRateSchedule schedule = record::LearningRateSchedule::one_cycle;
  std::optional<double> warmup_epochs = {};
  std::vector<std::int64_t> milestones = {};
  double label_smoothing = 0.0;
  bool no_augment = false;
  bool deterministic = false;
  Precision precision = Precision::fp32;
  bool channels_last = false;
  std::string variant = {};
  std::optional<std::int64_t> classes = {};
  std::optional<std::int64_t> image_size = {};
  int data_workers = 4;
  double checkpoint_every = engine::TrainingRequest().checkpoint_period_s;
  std::optional<std::int64_t> max_images = {};
  std::optional<double> max_time = {};
  bool resume = false;
  bool try_advice = false;               ///< run trials of advice
  std::vector<std::string> report = {};  ///< folders of runs to show instead
  std::filesystem::path folder = {};     ///< folder for the runs
};
const Parameters& parameters_of(For<TrainRequest>);

struct TrainResult {
  training::TrainingSummary summary = {};
  training::TrialSummary trials = {};            ///< trials of `try_advice`
  std::vector<findings::Finding> findings = {};  ///< what costs the time
  bool interrupted = false;  ///< runs are missing, or the last one is incomplete
  bool all_well = true;      ///< every run ended well and reached the requested accuracy
  /// Error that ended the work early, for example a full disk; the result has the work done before.
  std::optional<Error> failure = {};
};

/// Runs the request. Throws Error (usage, input, capability, system) for errors before the first
/// run has finished an epoch.
[[nodiscard]] TrainResult run(TrainRequest request, Session& session);

}  // namespace rooflab::task
