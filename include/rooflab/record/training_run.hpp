#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/record/record.hpp"

/// Training to accuracy: the request of a run and its results.
namespace rooflab::record {

/// Schedule of the learning rate over a run of `epochs`.
enum class LearningRateSchedule : std::uint8_t {
  constant,
  step,       ///< times `step_factor` at each of `milestones`
  cosine,     ///< half a cosine from the peak to 0
  one_cycle,  ///< half a cosine from a 25th to the peak over `rise` of the run, then one to nearly
              ///< 0
};
constexpr auto names_in_order(For<LearningRateSchedule>) {
  return names_through<LearningRateSchedule::one_cycle>("constant", "step", "cosine", "one-cycle");
}

/// Settings of training. Together with the network, the data, the precision and the seed they
/// determine the weights.
struct TrainingRecipe {
  std::int64_t epochs = 30;    ///< maximum number; the schedule spans all of them
  double learning_rate = 0.1;  ///< peak of the schedule
  double momentum = 0.9;       ///< sgd-momentum only
  double weight_decay = 5e-4;  ///< added to the gradient of all parameters (as in PyTorch's SGD)
  bool nesterov = false;
  double label_smoothing = 0.0;  ///< smoothing in the training loss
  LearningRateSchedule schedule = LearningRateSchedule::one_cycle;
  double rise = 0.3;           ///< one_cycle: fraction of the run before the peak
  double warmup_epochs = 0.0;  ///< other schedules: linear from 0 over this number of epochs
  std::vector<std::int64_t> milestones = {};  ///< step: epochs, from 0
  double step_factor = 0.1;
  bool augment = true;         ///< random crop and flip
  bool deterministic = false;  ///< use deterministic algorithms of the libraries where available

  friend bool operator==(const TrainingRecipe&, const TrainingRecipe&) = default;
};

/// Result of one epoch.
struct EpochResult {
  std::int64_t epoch = 0;       ///< from 0
  double train_loss = 0.0;      ///< mean over the epoch's batches
  double train_accuracy = 0.0;  ///< accuracy on the batches as they were trained on
  /// Loss on the validation images; nullopt: `max_time_s` ended the run within this epoch, after
  /// `images`.
  std::optional<double> validation_loss = {};
  /// On the validation images, 0 to 1; nullopt as for the loss
  std::optional<double> accuracy = {};
  double learning_rate = 0.0;  ///< rate of the last step
  std::int64_t images = 0;     ///< images trained on
  double train_s = 0.0;        ///< wall clock
  double validation_s = 0.0;
  double wait_s = 0.0;  ///< part of train_s: waiting for the data workers
  /// Part of train_s in which the host issues steps without waiting; 0 on a CPU.
  double issue_s = 0.0;
  /// Wall clock from the run's first step to the end of this validation; without set-up, the time
  /// between a stop and its resumption, and steps that were repeated after one.
  double elapsed_s = 0.0;
};

/// One run of training.
struct TrainingRun {
  CaseIdentity identity = {};  ///< phase training; `data` has the training images
  TrainingRecipe recipe = {};
  std::uint64_t seed = 0;
  std::optional<double> target_accuracy = {};
  Status status = Status::ok;
  std::string message = {};
  Environment environment = {};
  std::vector<std::string> classes = {};
  std::int64_t train_images = 0;
  std::int64_t validation_images = 0;
  std::vector<EpochResult> epochs = {};
  /// elapsed_s of the first epoch at the target; nullopt: never
  std::optional<double> reached_s = {};
  double setup_s = 0.0;  ///< from start to first step of the last process
  int resumed = 0;       ///< number of resumptions after a stop
  int data_workers = 0;
  std::vector<SampleSeries> samples = {};  ///< samples of the last process
  /// FNV-1a over all parameters and buffers in the graph's order: equal for equal weights.
  std::string weights_fingerprint = {};
  std::string checkpoint = {};  ///< file with the weights
  std::vector<std::string> broken_data = {};
  std::vector<Note> warnings = {};
};

/// Fields in JSON, described in docs/formats/training.md.
[[nodiscard]] std::span<const Field> fields_of(For<TrainingRecipe>);
[[nodiscard]] std::span<const Field> fields_of(For<EpochResult>);
[[nodiscard]] std::span<const Field> fields_of(For<TrainingRun>);
[[nodiscard]] FileKind file_kind_of(For<TrainingRun>);

/// Evaluation of a trained model on labelled images that it was not trained on.
struct Evaluation {
  std::string checkpoint = {};
  std::string model = {};
  std::string data = {};
  std::vector<std::string> classes = {};                  ///< classes of the model
  std::vector<std::vector<std::int64_t>> confusion = {};  ///< [label][prediction], images
  double loss = 0.0;                                      ///< mean cross-entropy
  std::vector<std::string> broken_data = {};

  [[nodiscard]] std::int64_t images() const;
  [[nodiscard]] std::int64_t correct() const;
  [[nodiscard]] std::optional<double> accuracy() const;  ///< nullopt without images
};
[[nodiscard]] std::span<const Field> fields_of(For<Evaluation>);
[[nodiscard]] FileKind file_kind_of(For<Evaluation>);

/// The learning rate of step `step` (from 0, through all epochs) of a run with `steps_per_epoch`
/// steps in each of the recipe's epochs; later steps have the rate of the last one.
/// src/record/training_run.cpp has the formulas.
[[nodiscard]] double learning_rate_at(const TrainingRecipe& recipe, std::int64_t step,
                                      std::int64_t steps_per_epoch);

}  // namespace rooflab::record
