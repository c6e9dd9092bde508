// How a run goes. Epoch by epoch: steps over the shuffled training images, then the validation
// images with the network in evaluation mode and its running statistics.
//
// Losses and hits are summed on the device and read at the end of an epoch (and every hundred
// steps, to see whether the loss is still a number), so that the host can run ahead of a GPU.
//
// What a step computes depends on the weights, the optimizer's state and the place (seed, epoch,
// step) alone: the loader gives the batch of a place, and the framework's generators get a seed of
// the place before every step. So a run that is taken up at a checkpoint goes on as if it had never
// stopped: the same bits on a CPU with the same number of threads; on a GPU where the libraries'
// algorithms are deterministic. A checkpoint is written before run.json: what the latter says is
// never ahead of it.
//
// issue_s: at the start of an epoch, and of what is left of one after a stop, the device has
// nothing to do and its queue is empty, so that no call waits for it. The quickest of the first
// three steps stands for all: later ones may wait for room in the queue.

#include "trainer.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <limits>

#include "batch_source.hpp"
#include "checkpoint.hpp"
#include "clock.hpp"
#include "data/dataset.hpp"
#include "describe/schema.hpp"
#include "device_watch.hpp"
#include "framework.hpp"
#include "monitor/host.hpp"
#include "monitor/own_process.hpp"
#include "outcome.hpp"
#include "record/training_log.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/record/training_run.hpp"
#include "scores.hpp"
#include "step.hpp"
#include "system/path_status.hpp"

namespace rooflab::torch_worker {
namespace {

namespace fs = std::filesystem;
using record::EpochResult;
using record::Status;
using record::TrainingRun;

constexpr std::int64_t steps_between_checks = 100;
constexpr int issue_steps = 3;

volatile std::sig_atomic_t asked_to_end = 0;

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

OptimizerOptions optimizer_options(const record::TrainingRecipe& recipe) {
  return {.learning_rate = recipe.learning_rate,
          .momentum = recipe.momentum,
          .weight_decay = recipe.weight_decay,
          .nesterov = recipe.nesterov};
}

class Trainer {
 public:
  Trainer(const engine::TrainingRequest& request, fs::path run_file,
          const ProgressListener& progress)
      : request_(request),
        recipe_(request.recipe),
        run_file_(std::move(run_file)),
        progress_(progress),
        log_(request.folder / "train.log") {
    run_.identity = request.request.identity;
    run_.identity.graph = graph::to_text(request.request.graph);
    run_.recipe = recipe_;
    run_.seed = request.request.settings.seed;
    run_.data_workers = request.request.settings.data_workers;
    record_.identity = run_.identity;
    monitor::describe_host(record_.environment);
    record_.environment.command = run_.identity.command;
    record_.environment.rooflab = ROOFLAB_VERSION;
    record_.environment.libraries = library_versions();
  }

  /// Reads what there is to resume.
  void look_back() {
    const fs::path file = request_.folder / "checkpoint.pt";
    if (!request_.resume || !is_file(file)) return;
    before_ = read_checkpoint(file);
    if (!before_->place) {
      throw Error(ErrorKind::input, "this checkpoint holds weights alone and cannot be resumed", {},
                  {file.string(), {}, {}, {}});
    }
    if (const auto difference = engine::difference_to(before_->run, request_)) {
      throw Error(ErrorKind::input, "the checkpoint is of another run: " + *difference,
                  "another folder for this run, or no resuming", {file.string(), {}, {}, {}});
    }
    // The account of memory begins with the backend: tensors are read after it is made.
    before_->model.clear();
    before_->optimizer.clear();
    run_.epochs = before_->run.epochs;
    run_.resumed = before_->run.resumed;
    run_.broken_data = before_->run.broken_data;
    if (is_file(run_file_)) {
      // It may have been stopped more often than it came to a checkpoint.
      run_.resumed = std::max(run_.resumed, load_file<record::TrainingRun>(run_file_).resumed);
    }
    ++run_.resumed;
  }

  void run() {
    run_.target_accuracy = request_.target_accuracy;
    run_to_outcome(
        record_, [this] { train(); },
        [this] { return backend_ ? backend_->allocator().allocated_peak : std::nullopt; });
    if (watch_ && watching_) watch_->stop(seconds_since(start_), 0);
    run_.samples = record_.samples;
    if (record_.status != Status::ok) {
      run_.status = record_.status;
      run_.message = record_.message;
    }
    log_end();
    write_run();
  }

 private:
  void train() {
    set_up();
    write_run(Status::interrupted, "the run has not ended");
    start_ = Clock::now();
    watch_->start();
    watching_ = true;
    log_.stop("init_stop");
    log_.start("run_start");
    std::int64_t epoch = place_.epoch;
    while (epoch < recipe_.epochs && !note_reached() && !ended_) {
      log_.start("epoch_start", {{"epoch_num", epoch + 1}});
      train_epoch();
      if (ended_) break;
      log_.stop("epoch_stop", {{"epoch_num", epoch + 1}});
      validate();
      run_.epochs.push_back(result_);
      ++epoch;
      begin_epoch(epoch);
      save_checkpoint();
      write_run(Status::interrupted, "the run has not ended");
    }
    finish();
  }

  void set_up() {
    say("set-up", 0.0);
    const engine::Case& request = request_.request;
    const at::Device device = device_named(request.identity.device);
    configure({.precision = request.identity.precision,
               .threads = request.settings.threads,
               .cudnn_benchmark = request.settings.cudnn_benchmark,
               .deterministic = recipe_.deterministic},
              device);
    at::manual_seed(request.settings.seed);
    backend_ = make_backend(device);
    record::Environment& environment = record_.environment;
    environment.device = backend_->identity();
    describe_settings(environment);
    watch_.emplace(*backend_, request.settings.sample_period_s, record_);
    open_data();
    log_begin();
    step_ = std::make_unique<Step>(request, *backend_, optimizer_options(recipe_));
    if (!step_->has_optimizer()) {
      throw Unsupported{"training to an accuracy without an optimizer"};
    }
    step_->set_label_smoothing(recipe_.label_smoothing);
    sums_.emplace(classes_, backend_->device());
    if (before_) {
      take_up();
    } else {
      begin_epoch(0);
    }
    backend_->synchronize();
    run_.setup_s = monitor::process_age().value;
    saved_ = Clock::now();
  }

  void open_data() {
    const engine::Case& request = request_.request;
    const std::string& specification = request.identity.data;
    const graph::Shape& shape = image_shape(request.graph);
    const std::shared_ptr<const data::Dataset> train =
        data::open_dataset(specification, data::Split::train);
    std::shared_ptr<const data::Dataset> test =
        data::open_dataset(specification, data::Split::test);
    check_classes(request.graph, *train, specification);
    if (train->classes() != test->classes()) {
      throw Error(ErrorKind::input, specification + " has other classes to test than to train on",
                  "both splits have the same class folders");
    }
    run_.classes = train->classes();
    classes_ = static_cast<std::int64_t>(run_.classes.size());
    run_.train_images = train->size();
    if (request_.max_images > 0) test = data::evenly_spaced(test, request_.max_images);
    run_.validation_images = test->size();
    const bool pinned = backend_->device().is_cuda();
    data::LoaderOptions options;
    options.batch = shape[0];
    options.workers = request.settings.data_workers;
    options.prefetch = 4;
    options.seed = request.settings.seed;
    options.transform = transform_for(specification, shape[2], shape[3], recipe_.augment);
    train_source_ = std::make_unique<BatchSource>(train, options, pinned);
    options.shuffle = false;
    options.drop_last = false;
    options.prefetch = 2;
    options.transform = images_ = transform_for(specification, shape[2], shape[3], false);
    test_source_ = std::make_unique<BatchSource>(test, options, pinned);
    steps_per_epoch_ = train_source_->batches_per_epoch();
    if (request_.max_images > 0) {
      const std::int64_t wanted = std::max<std::int64_t>(request_.max_images / shape[0], 1);
      steps_per_epoch_ = std::min(steps_per_epoch_, wanted);
    }
  }

  void take_up() {
    if (before_->place->steps_per_epoch != steps_per_epoch_) {
      throw Error(ErrorKind::input,
                  format("the checkpoint is of epochs of {} steps, these have {}",
                         before_->place->steps_per_epoch, steps_per_epoch_),
                  "the same data and --max-images as before");
    }
    const fs::path file = request_.folder / "checkpoint.pt";
    const Checkpoint checkpoint = read_checkpoint(file);
    load_model(step_->graph(), step_->values(), checkpoint.model, file.string());
    std::vector<at::Tensor> state;
    for (const at::Tensor& tensor : checkpoint.optimizer) {
      const bool image_like = request_.request.identity.channels_last && tensor.dim() == 4;
      state.push_back(tensor.to(backend_->device())
                          .contiguous(image_like ? at::MemoryFormat::ChannelsLast
                                                 : at::MemoryFormat::Contiguous));
    }
    step_->optimizer().set_state(state);
    state.clear();
    for (const at::Tensor& tensor : checkpoint.scaler) {
      state.push_back(tensor.to(backend_->device()));
    }
    step_->scaler().set_state(state);
    place_ = *before_->place;
    elapsed_before_ = place_.elapsed_s;
    sums_->restore(place_.loss_sum, place_.correct, place_.images);
    if (place_.epoch < recipe_.epochs) train_source_->seek(place_.epoch, place_.batch);
    const std::int64_t step = place_.epoch * steps_per_epoch_ + place_.batch;
    rate_ =
        record::learning_rate_at(recipe_, std::max<std::int64_t>(step - 1, 0), steps_per_epoch_);
    before_.reset();
  }

  /// The place is the start of this epoch.
  void begin_epoch(std::int64_t epoch) {
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

  void train_epoch() {
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

  void train_batch(const BatchSource::Batch& batch) {
    const std::int64_t step = place_.epoch * steps_per_epoch_ + place_.batch;
    at::manual_seed(seed_of(run_.seed, place_.epoch, place_.batch));
    rate_ = record::learning_rate_at(recipe_, step, steps_per_epoch_);
    step_->optimizer().set_learning_rate(rate_);
    step_->set_batch(batch.images, batch.labels, train_source_->pinned());
    const std::vector<at::Tensor> outputs = step_->run();
    sums_->add(outputs.front(), step_->labels(), batch.count, step_->loss_tensor());
  }

  void validate() {
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

  /// `max_time_s` is over.
  void end_unvalidated() {
    check_loss();
    result_ = epoch_so_far();
    result_.accuracy.reset();
    result_.validation_loss.reset();
    result_.elapsed_s = elapsed();
    run_.epochs.push_back(result_);
    ended_ = true;
  }

  void finish() {
    if (interrupted_) {
      record_.status = Status::interrupted;
      record_.message = "stopped by the user";
      return;
    }
    say("weights", 0.0);
    run_.weights_fingerprint = fingerprint_of(step_->graph(), step_->values());
    const fs::path file = request_.folder / "weights.pt";
    run_.checkpoint = file.string();
    run_.status = Status::ok;
    run_.message.clear();
    note_reached();
    Checkpoint checkpoint;
    checkpoint.model = model_of(step_->graph(), step_->values());
    checkpoint.run = run_;
    checkpoint.images = images_;
    write_weights(file, checkpoint);
  }

  void save_checkpoint() {
    backend_->synchronize();
    place_.loss_sum = sums_->loss();
    place_.correct = sums_->correct();
    place_.images = sums_->images();
    place_.elapsed_s = elapsed();
    copy_findings();
    Checkpoint checkpoint;
    checkpoint.model = model_of(step_->graph(), step_->values());
    checkpoint.run = run_;
    checkpoint.images = images_;
    checkpoint.optimizer = step_->optimizer().state();
    checkpoint.scaler = step_->scaler().state();
    checkpoint.place = place_;
    write_checkpoint(request_.folder / "checkpoint.pt", checkpoint);
    saved_ = Clock::now();
  }

  /// A stretch of an epoch without a checkpoint in it.
  struct Segment {
    Clock::time_point start;
    double waited_before_s = 0.0;
    std::int64_t steps = 0;
    double issue_s = std::numeric_limits<double>::infinity();  ///< time of the quickest step

    void count(double seconds) {
      if (steps++ < issue_steps) issue_s = std::min(issue_s, seconds);
    }
  };

  Segment begin_segment() {
    return {.start = Clock::now(), .waited_before_s = train_source_->waited_s()};
  }

  void end_segment(const Segment& segment) {
    backend_->synchronize();
    place_.train_s += seconds_since(segment.start);
    place_.wait_s += train_source_->waited_s() - segment.waited_before_s;
    if (segment.steps > 0 && !backend_->device().is_cpu()) {
      place_.issue_s += segment.issue_s * static_cast<double>(segment.steps);
    }
  }

  [[nodiscard]] EpochResult epoch_so_far() const {
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

  void check_loss() {
    if (!std::isfinite(sums_->loss())) fail_of_loss("loss");
  }
  [[noreturn]] void fail_of_loss(std::string_view what) const {
    throw Error(ErrorKind::input,
                format("the {} is not a finite number any more in epoch {} (learning rate {:.4g})",
                       what, place_.epoch + 1, rate_),
                "a lower learning rate, or a warm-up");
  }

  /// Whether the target was reached; notes when.
  bool note_reached() {
    if (!request_.target_accuracy) return false;
    for (const EpochResult& epoch : run_.epochs) {
      if (!epoch.accuracy || *epoch.accuracy < *request_.target_accuracy) continue;
      run_.reached_s = epoch.elapsed_s;
      return true;
    }
    return false;
  }

  [[nodiscard]] double elapsed() const { return elapsed_before_ + seconds_since(start_); }
  /// Validation is not counted as training.
  [[nodiscard]] double validated_s() const {
    double sum = 0.0;
    for (const EpochResult& epoch : run_.epochs) sum += epoch.validation_s;
    return sum;
  }

  void report() {
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

  void log_begin() const {
    log_.point("submission_benchmark", run_.identity.model);
    log_.start("init_start");
    log_.point("seed", run_.seed);
    log_.point("global_batch_size", run_.identity.batch.value());
    log_.point("opt_base_learning_rate", recipe_.learning_rate);
    log_.point("opt_name", run_.identity.optimizer);
    log_.point("opt_weight_decay", recipe_.weight_decay);
    log_.point("train_samples", run_.train_images);
    log_.point("eval_samples", run_.validation_images);
  }

  void log_end() const {
    if (!watching_) return;
    const bool success =
        record_.status == Status::ok && (!request_.target_accuracy || run_.reached_s.has_value());
    log_.stop("run_stop", {{"status", success ? "success" : "aborted"}});
  }

  void add_broken() {
    for (const BatchSource* source : {train_source_.get(), test_source_.get()}) {
      if (source == nullptr) continue;
      for (std::string& line : source->broken()) {
        if (std::ranges::find(run_.broken_data, line) == run_.broken_data.end()) {
          run_.broken_data.push_back(std::move(line));
        }
      }
    }
  }

  void copy_findings() {
    run_.environment = record_.environment;
    run_.warnings = record_.warnings;
    add_broken();
  }

  void write_run(Status status, const std::string& message) {
    run_.status = status;
    run_.message = message;
    write_run();
  }
  void write_run() {
    copy_findings();
    save_file(run_file_, run_);
  }

  void say(std::string_view stage, double done, double left_s = 0.0) const {
    if (progress_) progress_(stage, done, left_s);
  }

  const engine::TrainingRequest& request_;
  const record::TrainingRecipe& recipe_;
  fs::path run_file_;
  const ProgressListener& progress_;
  record::TrainingLog log_;
  record::Record record_;  ///< its device, environment, samples, warnings and status count
  TrainingRun run_;
  std::optional<Checkpoint> before_;  ///< what is resumed, without its tensors
  data::ImageTransform images_;
  std::int64_t classes_ = 0;
  std::int64_t steps_per_epoch_ = 0;
  TrainingPlace place_;
  EpochResult result_;
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

}  // namespace

void train(const engine::TrainingRequest& request, const fs::path& run_file,
           const ProgressListener& progress) {
  std::signal(SIGTERM, [](int) { asked_to_end = 1; });
  Trainer trainer(request, run_file, progress);
  trainer.look_back();
  trainer.run();
}

}  // namespace rooflab::torch_worker
