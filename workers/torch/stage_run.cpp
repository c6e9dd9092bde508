// How stages are measured.
//
// 1. Set-up: the devices' contexts, each stage's weights. 2. Warm-up steps. 3. Timed steps, free
// running, by the host's clock: all devices are waited for before and after each, since no one
// device sees a step from its beginning to its end. 4. Steps in which every part (a stage's forward
// or backward pass of one micro-batch, a transfer) is waited for: they show what each stage and
// each transfer takes by itself, and nothing overlaps in them. 5. One more step for the peaks of
// memory.

#include "stage_run.hpp"

#include <c10/util/Exception.h>

#include <algorithm>
#include <chrono>

#include "base/format.hpp"
#include "clock.hpp"
#include "device_watch.hpp"
#include "framework.hpp"
#include "monitor/host.hpp"
#include "outcome.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/system/file.hpp"
#include "stage_pipeline.hpp"

namespace rooflab::torch_worker {
namespace {

/// The measurement, part by part; `run` fills up as it goes.
class StageMeasurement {
 public:
  StageMeasurement(const engine::StageRequest& request, const ProgressListener& progress,
                   record::StageRun& run)
      : request_(request), settings_(request.request.settings), progress_(progress), run_(run) {}

  [[nodiscard]] std::optional<Bytes> held() const {
    std::optional<Bytes> most;
    for (const auto& [name, backend] : backends_) {
      if (const auto peak = backend->allocator().allocated_peak) {
        most = std::max(most.value_or(Bytes(0)), *peak);
      }
    }
    return most;
  }

  void measure() {
    set_up();
    const std::vector<at::Tensor> outputs = pipeline_->step();
    pipeline_->synchronize();
    if (request_.request.outputs) write_outputs(outputs);
    for (int i = 1; i < request_.warmup_steps; ++i) {
      say("warm-up", static_cast<double>(i) / request_.warmup_steps);
      pipeline_->step();
    }
    time_steps();
    time_parts();
    observe_memory();
  }

 private:
  void set_up() {
    say("set-up", 0.0);
    const record::CaseIdentity& identity = request_.request.identity;
    if (request_.request.weights == engine::WeightSource::file || identity.data != "dummy") {
      throw Unsupported{"stages with weights from a file or with images"};
    }
    for (const std::string& name : request_.devices) {
      if (!backends_.contains(name)) add_backend(name);
    }
    at::manual_seed(settings_.seed);
    run_.environment.device = backends_.at(request_.devices.front())->identity();
    describe_settings(run_.environment);
    pipeline_ = std::make_unique<StagePipeline>(request_, backends_);
    for (std::size_t i = 0; i < pipeline_->size(); ++i) {
      record::StageResult& stage = run_.stages.emplace_back();
      stage.first = pipeline_->graph(i).nodes.front().name;
      stage.last = pipeline_->graph(i).nodes.back().name;
      stage.device = pipeline_->backend(i).identity();
    }
  }

  void add_backend(const std::string& name) {
    const at::Device device = device_named(name);
    configure({.precision = request_.request.identity.precision,
               .threads = settings_.threads,
               .cudnn_benchmark = settings_.cudnn_benchmark},
              device);
    const std::optional<Bytes> before = DeviceWatch::memory_used(device);
    DeviceBackend& backend = *(backends_[name] = make_backend(device));
    if (settings_.memory_limit_bytes <= 0) return;
    Bytes context;
    if (const auto used = backend.device_used(); used && before) context = *used - *before;
    backend.limit_memory(Bytes(settings_.memory_limit_bytes), context);
  }

  void time_steps() {
    const auto start = Clock::now();
    for (int i = 0; i < settings_.iterations; ++i) {
      pipeline_->synchronize();
      const auto begin = Clock::now();
      pipeline_->step();
      pipeline_->synchronize();
      run_.steps_s.push_back(seconds_since(begin));
      say("measure", static_cast<double>(i + 1) / settings_.iterations);
      if (seconds_since(start) >= settings_.max_time_s) break;
    }
  }

  void time_parts() {
    say("stages", 0.0);
    const int repetitions = std::clamp(settings_.iterations, 1, 5);
    std::vector<std::vector<double>> times(pipeline_->size());
    std::vector<std::vector<double>> transfers(pipeline_->size());
    for (int i = 0; i < repetitions; ++i) {
      std::vector<StageParts> parts;
      pipeline_->step(&parts);
      for (std::size_t s = 0; s < parts.size(); ++s) {
        times[s].push_back(parts[s].time_s);
        transfers[s].push_back(parts[s].transfer_s);
      }
    }
    for (std::size_t s = 0; s < times.size(); ++s) {
      run_.stages[s].time_s = quantile(times[s], 0.5);
      run_.stages[s].transfer_s = quantile(transfers[s], 0.5);
      run_.stages[s].received = pipeline_->received(s);
    }
  }

  void observe_memory() {
    say("memory", 0.0);
    pipeline_->synchronize();
    for (const auto& [name, backend] : backends_) backend->reset_peaks();
    pipeline_->step();
    pipeline_->synchronize();
    for (std::size_t s = 0; s < pipeline_->size(); ++s) {
      run_.stages[s].allocated_peak = pipeline_->backend(s).allocator().allocated_peak;
    }
  }

  /// Writes the same as a case: the losses of three training steps, then the values of every
  /// output.
  void write_outputs(const std::vector<at::Tensor>& outputs) {
    std::string text;
    if (request_.request.identity.phase == Phase::training) {
      text += format("loss {:.9g}\n", pipeline_->loss());
      for (int i = 0; i < 2; ++i) {
        pipeline_->step();
        text += format("loss {:.9g}\n", pipeline_->loss());
      }
    }
    for (const at::Tensor& output : outputs) {
      const at::Tensor flat = output.to(at::kCPU, at::kDouble).reshape({-1}).contiguous();
      text += format("output {}\n", flat.numel());
      const double* const data = flat.data_ptr<double>();
      for (std::int64_t i = 0; i < flat.numel(); ++i) text += format("{:.9g}\n", data[i]);
    }
    write_file_atomically(*request_.request.outputs, text);
  }

  void say(std::string_view stage, double done) const {
    if (progress_) progress_(stage, done, 0.0);
  }

  const engine::StageRequest& request_;
  const engine::MeasureSettings& settings_;
  const ProgressListener& progress_;
  record::StageRun& run_;
  std::map<std::string, std::unique_ptr<DeviceBackend>> backends_;
  std::unique_ptr<StagePipeline> pipeline_;
};

}  // namespace

record::StageRun run_stages(const engine::StageRequest& request, const ProgressListener& progress) {
  record::StageRun run;
  run.identity = request.request.identity;
  run.cuts.assign(request.cuts.begin(), request.cuts.end());
  run.micro_batches = request.micro_batches;
  monitor::describe_host(run.environment);
  run.environment.command = request.request.identity.command;
  run.environment.rooflab = ROOFLAB_VERSION;
  run.environment.libraries = library_versions();
  StageMeasurement measurement(request, progress, run);
  record::Record outcome;
  run_to_outcome(
      outcome, [&measurement] { measurement.measure(); },
      [&measurement] { return measurement.held(); });
  run.status = outcome.status;
  run.message = outcome.message;
  // Half a measurement does not count.
  if (run.status != record::Status::ok) run.steps_s.clear();
  return run;
}

}  // namespace rooflab::torch_worker
