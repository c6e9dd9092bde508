#pragma once

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "batch_source.hpp"
#include "checkpoint.hpp"
#include "clock.hpp"
#include "device_watch.hpp"
#include "record/training_log.hpp"
#include "rooflab/record/training_run.hpp"
#include "scores.hpp"
#include "step.hpp"
#include "trainer.hpp"

namespace rooflab::torch_worker {

/// Set by a signal: the run is to end after this step.
inline volatile std::sig_atomic_t asked_to_end = 0;

/// One run from its set-up to its weights; the essay is at the head of trainer.cpp.
class TrainingCourse {
 public:
  TrainingCourse(const engine::TrainingRequest& request, std::filesystem::path run_file,
                 const ProgressListener& progress);

  /// Reads what there is to resume.
  void look_back();
  void run();

 private:
  /// A stretch of an epoch without a checkpoint in it.
  struct Segment {
    Clock::time_point start;
    double waited_before_s = 0.0;
    static constexpr int issue_steps = 3;
    std::int64_t steps = 0;
    double issue_s = std::numeric_limits<double>::infinity();  ///< time of the quickest step

    void count(double seconds) {
      if (steps++ < issue_steps) issue_s = std::min(issue_s, seconds);
    }
  };
  void train();
  void set_up();
  void open_data();
  void take_up();

  /// The place is the start of this epoch.
  void begin_epoch(std::int64_t epoch);
  void train_epoch();
  void train_batch(const BatchSource::Batch& batch);
  void validate();

  /// `max_time_s` is over.
  void end_unvalidated();
  void finish();
  void save_checkpoint();
  Segment begin_segment() {
    return {.start = Clock::now(), .waited_before_s = train_source_->waited_s()};
  }

  void end_segment(const Segment& segment);
  [[nodiscard]] record::EpochResult epoch_so_far() const;
  void check_loss() {
    if (!std::isfinite(sums_->loss())) fail_of_loss("loss");
  }
  [[noreturn]] void fail_of_loss(std::string_view what) const;

  /// Whether the target was reached; notes when.
  bool note_reached();
  [[nodiscard]] double elapsed() const { return elapsed_before_ + seconds_since(start_); }
  /// Validation is not counted as training.
  [[nodiscard]] double validated_s() const;
  void report();
  void log_begin() const;
  void log_end() const;
  void add_broken();
  void copy_findings();
  void write_run(record::Status status, const std::string& message);
  void write_run();
  void say(std::string_view stage, double done, double left_s = 0.0) const {
    if (progress_) progress_(stage, done, left_s);
  }

  const engine::TrainingRequest& request_;
  const record::TrainingRecipe& recipe_;
  std::filesystem::path run_file_;
  const ProgressListener& progress_;
  record::TrainingLog log_;
  record::Record record_;  ///< its device, environment, samples, warnings and status count
  record::TrainingRun run_;
  std::optional<Checkpoint> before_;  ///< what is resumed, without its tensors
  data::ImageTransform images_;
  std::int64_t classes_ = 0;
  std::int64_t steps_per_epoch_ = 0;
  TrainingPlace place_;
  record::EpochResult result_;
  double rate_ = 0.0;
  double elapsed_before_ = 0.0;  ///< time of the processes before this
  bool ended_ = false;           ///< within an epoch
  bool interrupted_ = false;     ///< whether a signal interrupted it
  bool watching_ = false;
  Clock::time_point start_;
  Clock::time_point saved_;
  Clock::time_point reported_;
  std::unique_ptr<DeviceBackend> backend_;
  std::optional<DeviceWatch> watch_;
  std::unique_ptr<BatchSource> train_source_;
  std::unique_ptr<BatchSource> test_source_;
  std::unique_ptr<Step> step_;
  std::optional<ScoreSums> sums_;
};

}  // namespace rooflab::torch_worker
