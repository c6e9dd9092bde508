// How a case is measured.
//
// 1. Set-up: libraries, the device's context, weights. Not part of any step.
// 2. First call: the first step, with algorithm choice, lazy loading and the first memory.
// 3. Warm-up: steps until the medians of two windows of five (two, for steps over 0.3 s) differ by
//    less than 2 %, for half a second at least (clocks rise) and `warmup_time_s` at most.
// 4. Timed steps: at least `iterations` and `min_time_s`, marks around each; the device is waited
//    for only between chunks of about 0.2 s, so that the host can run ahead as it does in use. A
//    monitor samples power, clocks and utilisation; energy is the counter's difference over this
//    loop, per step.
// 5. How long the host needs to issue a step, and the device to run one that is queued in full.
// 6. Memory of one more step, by phase. Then per-layer runs, if asked for.
// 7. If asked for, what issuing ops costs the host now (host_probe.hpp). No step follows it but
// those
//    with hardware counters, which come last.

#include "measurement.hpp"

#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <c10/util/Exception.h>

#include <algorithm>
#include <chrono>

#include "batch_source.hpp"
#include "device_watch.hpp"
#include "framework.hpp"
#ifdef ROOFLAB_HAS_CUPTI
#include "hardware_counting.hpp"
#endif
#include "base/format.hpp"
#include "clock.hpp"
#include "engine/host_grid.hpp"
#include "host_probe.hpp"
#include "layer_timer.hpp"
#include "monitor/host.hpp"
#include "monitor/own_process.hpp"
#include "notes/engine_notes.hpp"
#include "outcome.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/system/file.hpp"
#include "step.hpp"
#include "warm_up.hpp"

namespace rooflab::torch_worker {
namespace {

using record::Record;

/// The measurement of one case, stage by stage; `record` fills up as it goes.
class Measurement {
 public:
  Measurement(const engine::Case& request, const ProgressListener& progress, Record& record)
      : request_(request), settings_(request.settings), progress_(progress), record_(record) {}

  /// Maximum that tensors held: when memory runs out, most are freed before it is reported.
  [[nodiscard]] std::optional<Bytes> held() const {
    return backend_ ? backend_->allocator().allocated_peak : std::nullopt;
  }

  void run() {
    set_up();
    first_call();
    warm_up();
    time_steps();
    time_host_and_device();
    observe_memory();
    if (settings_.per_layer) time_layers();
    record_.memory->resident_peak = monitor::peak_resident();
    if (settings_.host_time_s > 0.0) time_host();
    if (settings_.counters) count_in_hardware();
    record_.timing = timing_;
    if (source_) record_.broken_data = source_->broken();
  }

 private:
  void set_up() {
    say("set-up", 0.0);
    const at::Device device = device_named(request_.identity.device);
    configure({.precision = request_.identity.precision,
               .threads = settings_.threads,
               .cudnn_benchmark = settings_.cudnn_benchmark},
              device);
    at::manual_seed(settings_.seed);
    const std::optional<Bytes> used_before = DeviceWatch::memory_used(device);
    backend_ = make_backend(device);
    record_.environment.device = backend_->identity();
    watch_.emplace(*backend_, settings_.sample_period_s, record_);
    describe_settings(record_.environment);
    source_ = BatchSource::open(request_);
    record::MemoryUse memory;
    if (const auto used = backend_->device_used(); used && used_before) {
      memory.context = *used - *used_before;
    }
    record_.memory = memory;
    used_before_ = used_before;
    limit_memory();
    step_ = std::make_unique<Step>(request_, *backend_);
    backend_->synchronize();
    timing_.setup_s = monitor::process_age().value;
    timing_.clock = backend_->clock();
  }

  void first_call() {
    say("first call", 0.0);
    next_batch();
    const auto start = Clock::now();
    const std::vector<at::Tensor> outputs = step_->run();
    backend_->synchronize();
    timing_.first_call_s = seconds_since(start);
    limit_memory();
    if (request_.outputs) write_outputs(outputs);
  }

  /// The libraries take more of the device for themselves as they load their kernels: asked again
  /// after the first step, the allocator gets what they left.
  void limit_memory() {
    if (settings_.memory_limit_bytes <= 0) return;
    Bytes context = record_.memory->context.value_or(Bytes(0));
    const std::optional<Bytes> reserved = backend_->allocator().reserved_peak;
    if (const auto used = backend_->device_used(); used && used_before_ && reserved) {
      context = std::max(context, *used - *used_before_ - *reserved);
    }
    backend_->limit_memory(Bytes(settings_.memory_limit_bytes), context);
  }

  void warm_up() {
    WarmUp times(settings_.warmup_time_s);
    const auto start = Clock::now();
    while (!times.enough()) {
      next_batch();
      const auto step_start = Clock::now();
      step_->run();
      backend_->synchronize();
      times.add(seconds_since(step_start), seconds_since(start));
      if (!times.enough()) say("warm-up", times.done());
    }
    timing_.stable = times.stable();
    timing_.warmup_steps = static_cast<int>(times.steps());
    step_estimate_s_ = times.median_s();
  }

  void time_steps() {
    const int chunk = source_ || !backend_->device().is_cuda()
                          ? 1
                          : std::clamp(static_cast<int>(0.2 / step_estimate_s_), 1, 50);
    watch_->start();
    const auto start = Clock::now();
    double elapsed = 0.0;
    std::vector<std::pair<std::unique_ptr<Mark>, std::unique_ptr<Mark>>> marks;
    while (true) {
      marks.clear();
      for (int i = 0; i < chunk; ++i) {
        if (source_) {
          const auto [wait_s, copy_s] = next_batch();
          timing_.data_s.push_back(wait_s);
          timing_.copy_s.push_back(copy_s);
        }
        std::unique_ptr<Mark> begin = backend_->mark();
        step_->run();
        marks.emplace_back(std::move(begin), backend_->mark());
      }
      backend_->synchronize();
      for (const auto& [begin, end] : marks) {
        timing_.steps_s.push_back(backend_->seconds_between(*begin, *end));
      }
      elapsed = seconds_since(start);
      const bool enough = static_cast<int>(timing_.steps_s.size()) >= settings_.iterations &&
                          elapsed >= settings_.min_time_s;
      if (enough || elapsed >= settings_.max_time_s) break;
      const double by_count = static_cast<double>(timing_.steps_s.size()) / settings_.iterations;
      const double by_time = elapsed / std::max(settings_.min_time_s, 1e-9);
      const double done = std::min(1.0, std::min(by_count, by_time));
      say("measure", done, elapsed / std::max(done, 1e-3) - elapsed);
    }
    watch_->stop(elapsed, timing_.steps_s.size());
  }

  void time_host_and_device() {
    if (!backend_->device().is_cuda()) return;
    const int repetitions = std::clamp(static_cast<int>(2.0 / step_estimate_s_), 1, 5);
    std::vector<double> issue;
    std::vector<double> device;
    for (int i = 0; i < repetitions; ++i) {
      backend_->synchronize();
      const auto start = Clock::now();
      step_->run();
      issue.push_back(seconds_since(start));
    }
    timing_.issue_s = quantile(issue, 0.5);
    for (int i = 0; i < repetitions; ++i) {
      backend_->synchronize();
      backend_->delay(1.5 * *timing_.issue_s + 1e-3);
      const std::unique_ptr<Mark> begin = backend_->mark();
      step_->run();
      const std::unique_ptr<Mark> end = backend_->mark();
      backend_->synchronize();
      device.push_back(backend_->seconds_between(*begin, *end));
    }
    timing_.device_s = quantile(device, 0.5);
  }

  void observe_memory() {
    say("memory", 0.0);
    backend_->synchronize();
    record::MemoryUse& memory = *record_.memory;
    const AllocatorState idle = backend_->allocator();
    memory.persistent = idle.allocated;
    backend_->reset_peaks();
    Bytes before = idle.allocated.value_or(Bytes(0));
    std::optional<Bytes> peak;
    const auto end_phase = [&](std::string_view phase) {
      backend_->synchronize();
      const AllocatorState now = backend_->allocator();
      if (!now.allocated || !now.allocated_peak) return;
      memory.phases.push_back({std::string(phase), before, *now.allocated_peak, *now.allocated});
      peak = std::max(peak.value_or(Bytes(0)), *now.allocated_peak);
      // Gradients of the step before live until the loss: they are on both sides of the difference.
      if (phase == "forward" && request_.identity.phase != Phase::inference && idle.allocated) {
        memory.saved = *now.allocated - *idle.allocated;
      }
      before = *now.allocated;
      backend_->reset_peaks();
    };
    step_->run(end_phase);
    memory.allocated_peak = peak;
    memory.reserved_peak = backend_->allocator().reserved_peak;
    memory.device_used = backend_->device_used();
  }

  void time_layers() {
    say("layers", 0.0);
    constexpr double budget_s = 2.0;
    const int repetitions =
        std::clamp(static_cast<int>(budget_s / std::max(step_estimate_s_, 1e-6)), 3, 20);
    record_.layers =
        torch_worker::time_layers(*step_, *backend_, repetitions, timing_.issue_s.value_or(0.0));
  }

  void time_host() {
    say("host", 0.0);
    const double whole_s = settings_.host_time_s;
    record::HostCosts costs = probe_host(*backend_, whole_s, [this, whole_s](double done) {
      say("host", done, whole_s * (1.0 - done));
    });
    if (costs.ops.empty()) return;
    record_.issue_costs = engine::measured_in(std::move(costs), record_.environment);
  }

  void count_in_hardware() {
    say("counters", 0.0);
#ifdef ROOFLAB_HAS_CUPTI
    torch_worker::count_in_hardware(*step_, *backend_, record_,
                                    [this](double done) { say("counters", done); });
#else
    record_.warnings.push_back(
        {engine::says.counters_not_read, {"this worker was built without CUPTI's headers"}});
#endif
  }

  struct BatchTimes {
    double wait_s = 0.0;
    double copy_s = 0.0;
  };
  BatchTimes next_batch() {
    if (!source_) return {};
    BatchTimes times;
    auto start = Clock::now();
    const BatchSource::Batch batch = source_->next();
    times.wait_s = seconds_since(start);
    start = Clock::now();
    step_->set_batch(batch.images, batch.labels);
    backend_->synchronize();
    times.copy_s = seconds_since(start);
    return times;
  }

  /// The values of every output, one a line, for comparison with another framework's.
  void write_outputs(const std::vector<at::Tensor>& outputs) const {
    std::string text;
    if (request_.identity.phase == Phase::training) {
      // The loss of later steps says whether the gradients and the optimizer are right.
      text += format("loss {:.9g}\n", step_->loss());
      for (int i = 0; i < 2; ++i) {
        step_->run();
        text += format("loss {:.9g}\n", step_->loss());
      }
    }
    for (const at::Tensor& output : outputs) {
      const at::Tensor flat = output.to(at::kCPU, at::kDouble).reshape({-1}).contiguous();
      text += format("output {}\n", flat.numel());
      const double* const data = flat.data_ptr<double>();
      for (std::int64_t i = 0; i < flat.numel(); ++i) text += format("{:.9g}\n", data[i]);
    }
    write_file_atomically(*request_.outputs, text);
  }

  void say(std::string_view stage, double done, double left_s = 0.0) const {
    if (progress_) progress_(stage, done, left_s);
  }

  const engine::Case& request_;
  const engine::MeasureSettings& settings_;
  const ProgressListener& progress_;
  Record& record_;
  record::Timing timing_;
  double step_estimate_s_ = 0.0;
  std::optional<Bytes> used_before_;  ///< memory in use on the device before the context existed
  std::unique_ptr<DeviceBackend> backend_;
  std::optional<DeviceWatch> watch_;
  std::unique_ptr<BatchSource> source_;
  std::unique_ptr<Step> step_;
};

}  // namespace

Record measure(const engine::Case& request, const ProgressListener& progress) {
  Record record;
  record.identity = request.identity;
  monitor::describe_host(record.environment);
  record.environment.command = request.identity.command;
  record.environment.rooflab = ROOFLAB_VERSION;
  record.environment.libraries = library_versions();
  Measurement measurement(request, progress, record);
  run_to_outcome(
      record, [&measurement] { measurement.run(); }, [&measurement] { return measurement.held(); });
  return record;
}

}  // namespace rooflab::torch_worker
