// What a run begins with, leaves behind and is taken up from.

#include "training_course.hpp"

#include <ATen/Context.h>

#include <algorithm>

#include "base/format.hpp"
#include "data/dataset.hpp"
#include "describe/schema.hpp"
#include "framework.hpp"
#include "monitor/host.hpp"
#include "monitor/own_process.hpp"
#include "outcome.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"
#include "system/path_status.hpp"

namespace rooflab::torch_worker {
namespace {

namespace fs = std::filesystem;
using record::Status;

OptimizerOptions optimizer_options(const record::TrainingRecipe& recipe) {
  return {.learning_rate = recipe.learning_rate,
          .momentum = recipe.momentum,
          .weight_decay = recipe.weight_decay,
          .nesterov = recipe.nesterov};
}

}  // namespace

TrainingCourse::TrainingCourse(const engine::TrainingRequest& request, fs::path run_file,
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

void TrainingCourse::look_back() {
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

void TrainingCourse::run() {
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

void TrainingCourse::train() {
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

void TrainingCourse::set_up() {
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

void TrainingCourse::open_data() {
  const engine::Case& request = request_.request;
  const std::string& specification = request.identity.data;
  const graph::Shape& shape = image_shape(request.graph);
  const std::shared_ptr<const data::Dataset> train =
      data::open_dataset(specification, data::Split::train);
  std::shared_ptr<const data::Dataset> test = data::open_dataset(specification, data::Split::test);
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

void TrainingCourse::take_up() {
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
  rate_ = record::learning_rate_at(recipe_, std::max<std::int64_t>(step - 1, 0), steps_per_epoch_);
  before_.reset();
}

void TrainingCourse::finish() {
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

void TrainingCourse::save_checkpoint() {
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

void TrainingCourse::log_begin() const {
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

void TrainingCourse::log_end() const {
  if (!watching_) return;
  const bool success =
      record_.status == Status::ok && (!request_.target_accuracy || run_.reached_s.has_value());
  log_.stop("run_stop", {{"status", success ? "success" : "aborted"}});
}

void TrainingCourse::add_broken() {
  for (const BatchSource* source : {train_source_.get(), test_source_.get()}) {
    if (source == nullptr) continue;
    for (std::string& line : source->broken()) {
      if (std::ranges::find(run_.broken_data, line) == run_.broken_data.end()) {
        run_.broken_data.push_back(std::move(line));
      }
    }
  }
}

void TrainingCourse::copy_findings() {
  run_.environment = record_.environment;
  run_.warnings = record_.warnings;
  add_broken();
}

void TrainingCourse::write_run(Status status, const std::string& message) {
  run_.status = status;
  run_.message = message;
  write_run();
}

void TrainingCourse::write_run() {
  copy_findings();
  save_file(run_file_, run_);
}

}  // namespace rooflab::torch_worker
