#include "rank_measurement.hpp"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>

#include "base/fnv1a.hpp"
#include "base/format.hpp"
#include "clock.hpp"
#include "describe/json_fields.hpp"
#include "describe/schema.hpp"
#include "framework.hpp"
#include "kernel_trace.hpp"
#include "monitor/host.hpp"
#include "notes/engine_notes.hpp"
#include "notes/record_notes.hpp"
#include "outcome.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/system/file.hpp"
#include "warm_up.hpp"

namespace rooflab::torch_worker {
namespace {

using record::Status;

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// Ranks of one host share its processors, as torchrun has it.
int threads_of(const engine::ScaleRequest& request) {
  if (request.request.settings.threads > 0) return request.request.settings.threads;
  const auto sharing = std::max<std::size_t>(1, request.devices.size());
  return std::max(1, at::get_num_threads() / static_cast<int>(sharing));
}

/// The steps' input and labels: those samples of the global batch that are this rank's.
void fill_batch(Step& step, std::uint64_t seed, std::int64_t first_sample) {
  const auto id = static_cast<std::size_t>(step.graph().inputs.front());
  const at::Tensor& input = step.values()[id];
  const graph::Shape& scores = step.graph().type(step.graph().outputs.front()).shape;
  if (!input.is_floating_point() || input.dim() == 0 || scores.rank() < 2) return;
  const std::int64_t batch = input.size(0);
  const std::int64_t classes = scores.from_end(1);
  const std::int64_t labels_each = scores.elements() / classes / batch;
  std::vector<at::Tensor> images;
  std::vector<at::Tensor> labels;
  for (std::int64_t i = 0; i < batch; ++i) {
    constexpr std::uint64_t apart = 0x9e3779b97f4a7c15U;  // 2^64 over the golden ratio
    const auto number = static_cast<std::uint64_t>(first_sample + i);
    at::Generator generator = at::detail::createCPUGenerator(seed + apart * (number + 1));
    images.push_back(at::randn(input.sizes().slice(1), generator, at::kFloat));
    labels.push_back(at::randint(classes, {labels_each}, generator, at::kLong));
  }
  step.set_batch(at::stack(images), at::cat(labels));
}

}  // namespace

RankMeasurement::RankMeasurement(const engine::ScaleRequest& request,
                                 const engine::RankPlace& place, std::filesystem::path result,
                                 const ProgressListener& progress)
    : request_(request),
      settings_(request.request.settings),
      place_(place),
      result_(std::move(result)),
      progress_(progress) {
  own_.rank = place.rank;
  own_.host = host_name();
  record_.identity = request.request.identity;
}

int RankMeasurement::run() {
  try {
    run_to_outcome(
        record_, [this] { measure(); }, [this] { return held(); });
  } catch (const std::exception& error) {  // of the framework's sockets
    const std::string message = error.what();
    record_.status = Status::failed;
    record_.message = message.substr(0, message.find('\n'));
  }
  if (record_.status == Status::ok) {
    finish();
    return 0;
  }
  const Status status = record_.status;
  if (!job_ && place_.size > 1 && status == Status::failed) {
    record_.message = format("the ranks did not meet at {}:{} within {:g} s: {}", place_.master,
                             place_.port, request_.timeout_s, record_.message);
  }
  if (job_ && status == Status::failed) {
    if (const std::string culprit = job_->find_culprit(); !culprit.empty()) {
      give_up(status, culprit, false);
    }
  }
  give_up(status, record_.message, true);
  return 1;
}

void RankMeasurement::measure() {
  set_up();
  first_steps();
  warm_up();
  time_steps();
  if (request_.exchange_alone && exchange_) time_apart();
  if (request_.kernels) trace();
}

void RankMeasurement::set_up() {
  say("set-up", 0.0);
  const auto local = static_cast<std::size_t>(place_.local_rank);
  if (local >= request_.devices.size()) {
    throw Unsupported{
        format("rank {} on this host: only {} devices were named", local, request_.devices.size())};
  }
  const at::Device device = device_named(request_.devices[local]);
  configure({.precision = request_.request.identity.precision,
             .threads = device.is_cpu() ? threads_of(request_) : settings_.threads,
             .cudnn_benchmark = settings_.cudnn_benchmark},
            device);
  at::manual_seed(settings_.seed);
  if (request_.request.identity.data != "dummy") {
    throw Unsupported{"data other than dummy in a data-parallel run"};
  }
  // The ranks meet before the heavy work, so that one which cannot begin says so to the others.
  job_.emplace(place_, "rooflab/" + format("{:x}", fingerprint()), request_.timeout_s,
               [this](const std::string& why) { give_up(Status::failed, why, false); });
  backend_ = make_backend(device);
  describe();
  step_ = std::make_unique<Step>(request_.request, *backend_);
  fill_batch(*step_, settings_.seed, place_.rank * request_.request.identity.batch);
  at::manual_seed(settings_.seed + static_cast<std::uint64_t>(place_.rank));  // of dropout
  job_->progressed();
  if (!job_->alone()) {
    group_ = std::make_unique<RankGroup>(place_, job_->store(), device, request_.timeout_s);
    exchange_ = std::make_unique<DataParallel>(*group_, step_->parameters(), buffers());
    step_->exchange_through(exchange_.get());
  }
  backend_->synchronize();
  job_->progressed();
}

std::uint64_t RankMeasurement::fingerprint() const {
  const char* const attempt = std::getenv("TORCHELASTIC_RESTART_COUNT");
  return fnv1a(to_json(request_.request).dump() + (attempt != nullptr ? attempt : "") +
               std::to_string(place_.size));
}

void RankMeasurement::describe() {
  record::Environment& environment = record_.environment;
  monitor::describe_host(environment);
  environment.command = request_.request.identity.command;
  environment.rooflab = ROOFLAB_VERSION;
  environment.libraries = library_versions();
  environment.device = backend_->identity();
  describe_settings(environment);
  watch_.emplace(*backend_, settings_.sample_period_s, record_);
  const std::lock_guard lock(mutex_);
  own_.device = environment.device;
}

std::vector<at::Tensor> RankMeasurement::buffers() const {
  std::vector<at::Tensor> result;
  const std::vector<graph::Value>& values = step_->graph().values;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i].kind == graph::ValueKind::buffer) result.push_back(step_->values()[i]);
  }
  return result;
}

void RankMeasurement::step() {
  step_->run();
  backend_->synchronize();
  job_->progressed();
}

void RankMeasurement::first_steps() {
  say("first call", 0.0);
  step();
  if (request_.request.outputs) write_outputs();
  step();  // with the buckets as they will stay
}

void RankMeasurement::write_outputs() {
  std::string text = format("loss {:.9g}\n", step_->loss());
  for (int i = 0; i < 2; ++i) {
    step();
    text += format("loss {:.9g}\n", step_->loss());
  }
  for (const at::Tensor& parameter : step_->parameters()) {
    const at::Tensor flat = parameter.detach().to(at::kCPU, at::kDouble).reshape({-1});
    const at::Tensor dense = flat.contiguous();
    text += format("parameter {}\n", dense.numel());
    for (std::int64_t i = 0; i < dense.numel(); ++i) {
      text += format("{:.9g}\n", dense.data_ptr<double>()[i]);
    }
  }
  std::filesystem::path file = *request_.request.outputs;
  if (!job_->first()) file += format(".{}", place_.rank);
  write_file_atomically(file, text);
}

void RankMeasurement::warm_up() {
  WarmUp times(settings_.warmup_time_s);
  const auto start = Clock::now();
  for (bool more = true; more;) {
    const auto step_start = Clock::now();
    step();
    times.add(seconds_since(step_start), seconds_since(start));
    say("warm-up", times.done());
    more = job_->agree(times.enough() ? 0 : 1) != 0;
  }
  step_estimate_s_ = times.median_s();
  if (!times.stable()) {
    record_.warnings.push_back({record::says.times_unsettled, {times.steps()}});
  }
}

std::int64_t RankMeasurement::steps_in(double seconds, int least, int most) {
  const double steps = seconds / std::max(step_estimate_s_, 1e-6);
  return job_->agree(static_cast<std::int64_t>(std::clamp<double>(steps, least, most)));
}

void RankMeasurement::time_steps() {
  const std::int64_t chunk = steps_in(0.2, 1, 50);
  backend_->reset_peaks();
  job_->barrier();
  watch_->start();
  const auto start = Clock::now();
  double elapsed = 0.0;
  for (bool more = true; more;) {
    const std::vector<double> times = timed(chunk, [this] { step_->run(); });
    keep(times);
    elapsed = seconds_since(start);
    const std::size_t count = own_.steps_s.size();
    const bool enough =
        static_cast<int>(count) >= settings_.iterations && elapsed >= settings_.min_time_s;
    const double done =
        std::min({1.0, static_cast<double>(count) / std::max(settings_.iterations, 1),
                  elapsed / std::max(settings_.min_time_s, 1e-9)});
    say("measure", done, elapsed / std::max(done, 1e-3) - elapsed);
    more = job_->agree(enough || elapsed >= settings_.max_time_s ? 0 : 1) != 0;
  }
  watch_->stop(elapsed, own_.steps_s.size());
  const std::lock_guard lock(mutex_);
  own_.samples = record_.samples;
  own_.allocated_peak = backend_->allocator().allocated_peak;
  own_.reserved_peak = backend_->allocator().reserved_peak;
}

void RankMeasurement::time_apart() {
  say("exchange", 0.0);
  const std::int64_t count = steps_in(1.0, 3, 50);
  step_->exchange_through(nullptr);
  (void)timed(1, [this] { step_->run(); });
  const double alone_s = quantile(timed(count, [this] { step_->run(); }), 0.5);
  step_->exchange_through(exchange_.get());

  const std::vector<at::Tensor> buckets = exchange_->empty_buckets();
  {
    const std::lock_guard lock(mutex_);
    own_.alone_s = alone_s;
    bucket_bytes_ = exchange_->bucket_bytes();
  }
  job_->barrier();
  const auto all_reduce = [&] { group_->all_reduce(buckets); };
  (void)timed(2, all_reduce);
  const double exchange_s = quantile(timed(count, all_reduce), 0.5);
  const std::lock_guard lock(mutex_);
  own_.exchange_s = exchange_s;
}

void RankMeasurement::trace() {
  say("kernels", 0.0);
  job_->barrier();
  std::string why;
  std::optional<record::RankKernels> kernels =
      trace_kernels([this] { step_->run(); }, traced_steps, *backend_, why);
  job_->progressed();
  if (!why.empty()) record_.warnings.push_back({engine::says.kernels_not_traced, {why}});
  const std::lock_guard lock(mutex_);
  own_.kernels = kernels;
}

}  // namespace rooflab::torch_worker
