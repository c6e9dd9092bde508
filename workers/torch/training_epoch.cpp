// The epochs of a run: steps over the training images, then the validation images.

#include <ATen/Context.h>

#include <cmath>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "training_course.hpp"

namespace rooflab::torch_worker {
namespace {

using record::EpochResult;

constexpr std::int64_t steps_between_checks = 100;

/// splitmix64 of a chain of numbers. Source: Steele, Lea, Flood, OOPSLA 2014.
std::uint64_t seed_of(std::uint64_t seed, std::int64_t epoch, std::int64_t step) {
  std::uint64_t state = seed;
  for (const std::int64_t number : {epoch, step}) {
    state ^= static_cast<std::uint64_t>(number) + 0x9e3779b97f4a7c15U;
    state = (state ^ (state >> 30U)) * 0xbf58476d1ce4e5b9U;
    state = (state ^ (state >> 27U)) * 0x94d049bb133111ebU;
    state ^= state >> 31U;
  }
  return state;
}

}  // namespace

void TrainingCourse::begin_epoch(std::int64_t epoch) {
  const double elapsed = place_.elapsed_s;
  place_ = {.epoch = epoch, .steps_per_epoch = steps_per_epoch_, .elapsed_s = elapsed};
  sums_->restore(0.0, 0, 0);
  if (epoch == 0 || epoch == recipe_.epochs) return;
  if (steps_per_epoch_ < train_source_->batches_per_epoch()) {
    train_source_->seek(epoch, 0);
  } else {  // what the workers have decoded ahead stays
    (void)train_source_->next_of_epoch();
  }
}

void TrainingCourse::train_epoch() {
  Segment segment = begin_segment();
  while (place_.batch < steps_per_epoch_) {
    const std::optional<BatchSource::Batch> batch = train_source_->next_of_epoch();
    if (!batch) break;
    const auto issue_start = Clock::now();
    train_batch(*batch);
    segment.count(seconds_since(issue_start));
    ++place_.batch;
    if (place_.batch % steps_between_checks == 0) check_loss();
    report();
    if (asked_to_end != 0) {
      end_segment(segment);
      check_loss();
      save_checkpoint();
      ended_ = interrupted_ = true;
      return;
    }
    if (place_.batch == steps_per_epoch_) break;
    if (request_.max_time_s > 0.0 && elapsed() >= request_.max_time_s + validated_s()) {
      end_segment(segment);
      end_unvalidated();
      return;
    }
    if (seconds_since(saved_) >= request_.checkpoint_period_s) {
      end_segment(segment);
      check_loss();
      save_checkpoint();
      segment = begin_segment();
    }
  }
  end_segment(segment);
  check_loss();
  result_ = epoch_so_far();
}

void TrainingCourse::train_batch(const BatchSource::Batch& batch) {
  const std::int64_t step = place_.epoch * steps_per_epoch_ + place_.batch;
  at::manual_seed(seed_of(run_.seed, place_.epoch, place_.batch));
  rate_ = record::learning_rate_at(recipe_, step, steps_per_epoch_);
  step_->optimizer().set_learning_rate(rate_);
  step_->set_batch(batch.images, batch.labels, train_source_->pinned());
  const std::vector<at::Tensor> outputs = step_->run();
  sums_->add(outputs.front(), step_->labels(), batch.count, step_->loss_tensor());
}

void TrainingCourse::validate() {
  log_.start("eval_start", {{"epoch_num", result_.epoch + 1}});
  const auto start = Clock::now();
  ScoreSums sums(classes_, backend_->device());
  while (const auto batch = test_source_->next_of_epoch()) {
    step_->set_batch(batch->images, batch->labels, test_source_->pinned());
    sums.add(step_->evaluate().front(), step_->labels(), batch->count);
  }
  result_.accuracy = sums.accuracy();
  result_.validation_loss = sums.mean_loss();
  result_.validation_s = seconds_since(start);
  place_.elapsed_s = result_.elapsed_s = elapsed();
  if (!std::isfinite(*result_.validation_loss)) fail_of_loss("validation loss");
  log_.point("eval_accuracy", *result_.accuracy, {{"epoch_num", result_.epoch + 1}});
  log_.stop("eval_stop", {{"epoch_num", result_.epoch + 1}});
}

void TrainingCourse::end_unvalidated() {
  check_loss();
  result_ = epoch_so_far();
  result_.accuracy.reset();
  result_.validation_loss.reset();
  result_.elapsed_s = elapsed();
  run_.epochs.push_back(result_);
  ended_ = true;
}

void TrainingCourse::end_segment(const Segment& segment) {
  backend_->synchronize();
  place_.train_s += seconds_since(segment.start);
  place_.wait_s += train_source_->waited_s() - segment.waited_before_s;
  if (segment.steps > 0 && !backend_->device().is_cpu()) {
    place_.issue_s += segment.issue_s * static_cast<double>(segment.steps);
  }
}

EpochResult TrainingCourse::epoch_so_far() const {
  EpochResult result;
  result.epoch = place_.epoch;
  result.train_loss = sums_->mean_loss();
  result.train_accuracy = sums_->accuracy();
  result.learning_rate = rate_;
  result.images = sums_->images();
  result.train_s = place_.train_s;
  result.wait_s = place_.wait_s;
  result.issue_s = place_.issue_s;
  return result;
}

[[noreturn]] void TrainingCourse::fail_of_loss(std::string_view what) const {
  throw Error(ErrorKind::input,
              format("the {} is not a finite number any more in epoch {} (learning rate {:.4g})",
                     what, place_.epoch + 1, rate_),
              "a lower learning rate, or a warm-up");
}

bool TrainingCourse::note_reached() {
  if (!request_.target_accuracy) return false;
  for (const EpochResult& epoch : run_.epochs) {
    if (!epoch.accuracy || *epoch.accuracy < *request_.target_accuracy) continue;
    run_.reached_s = epoch.elapsed_s;
    return true;
  }
  return false;
}

double TrainingCourse::validated_s() const {
  double sum = 0.0;
  for (const EpochResult& epoch : run_.epochs) sum += epoch.validation_s;
  return sum;
}

void TrainingCourse::report() {
  if (seconds_since(reported_) < 0.2) return;
  reported_ = Clock::now();
  const double done = static_cast<double>(place_.batch) / static_cast<double>(steps_per_epoch_);
  const double epochs = static_cast<double>(place_.epoch) + done;
  const double left =
      epochs > 0.0 ? elapsed() / epochs * (static_cast<double>(recipe_.epochs) - epochs) : 0.0;
  std::string stage = format("epoch {}/{}", place_.epoch + 1, recipe_.epochs);
  if (!run_.epochs.empty())
    stage += format(", accuracy {:.3f}", run_.epochs.back().accuracy.value_or(0.0));
  say(stage, done, left);
}

}  // namespace rooflab::torch_worker
