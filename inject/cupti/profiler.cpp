// The life of a profiled process.
//
//   trace    the window opens: activities on; it closes: off
//   totals   steps are found by their launches; some are timed as they are, some traced, then each
//            takes a pass of the counters; before that a program that knows its ops (PyTorch's) is
//            asked for them in a separate step
//   kernels  the same, every kernel by itself first
//            while a step is searched for, activities are on: where none is found, the times of all
//            kernels are there; and some launches of every kind are counted one by one (kernels)
//   sample   from the first context on a thread samples the device while the window is open
//
// Where a part of every step is wanted, the part takes the place of the step.
//
// Counters and activities are never on together. A step is counted only where its launches are
// those of the reference step; the device is idle at both of its ends, so that no work of a
// neighbour is counted with it. Kernels are serialised, but never replayed; where a kernel may wait
// for another process (NCCL, NVSHMEM) not even that: a serialised kernel would wait for ever.

#include "profiler.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "profile/step_detector.hpp"

namespace rooflab::inject {
namespace {

using profile::ProfileMode;
using profile::ProfileWindow;
using profile::StepRule;

constexpr std::chrono::milliseconds longest_wait{500};
constexpr std::chrono::milliseconds retry_after{300};  // where another process counts
constexpr std::size_t most_counted_kernels = 16384;    // of a step: their image is gigabytes else

using Clock = std::chrono::steady_clock;

std::unique_ptr<profile::StepClock> clock_of(const StepRule& rule) {
  switch (rule.kind) {
    case StepRule::Kind::automatic:
      return std::make_unique<profile::StepDetector>();
    case StepRule::Kind::launches:
      return std::make_unique<profile::LaunchCountSteps>(rule.count);
    case StepRule::Kind::window:
      break;
  }
  return nullptr;
}

std::optional<profile::PartClock> part_clock_of(const ProfileWindow& window) {
  if (window.kind != ProfileWindow::Kind::part) return std::nullopt;
  return profile::PartClock(window.part);
}

}  // namespace

Profiler::Profiler(profile::ProfileRequest request)
    : request_(std::move(request)),
      file_(request_),
      clock_(clock_of(request_.step)),
      part_(part_clock_of(request_.window)),
      ops_(file_) {
  OpTeller::here().files_are(file_.stem(), request_.mode != ProfileMode::sample,
                             [this](std::string_view name) { file_.lines().ops_in(name); });
}

void Profiler::begin() {
  const std::lock_guard lock(mutex_);
  std::string why;
  std::optional<std::filesystem::path> wished;
  if (!request_.cupti.empty()) wished = request_.cupti;
  cupti_ = profile::CuptiLibrary::open(wished, why);
  if (!cupti_) {
    file_.begin("", "", 0);
    file_.lines().warning(why, "set CUDA_HOME to the CUDA toolkit, or install it");
    stage_ = Stage::done;
    return;
  }
  driver_ = profile::CudaDriver::open();
  if (!driver_) {
    file_.begin("", "", 0);
    stage_ = Stage::done;
    return;
  }
  try {
    trace_ = std::make_unique<profile::ActivityTrace>(cupti_, *this);
    file_.begin(cupti_->version(), cupti_->path().string(), trace_->now_ns());
    watch_ = std::make_unique<profile::LaunchWatch>(cupti_, *this);
    const ProfileWindow::Kind window = request_.window.kind;
    if (window == ProfileWindow::Kind::launches || window == ProfileWindow::Kind::time) {
      watch_launches(true);
    }
  } catch (const profile::CuptiError& error) {
    fail(error);
    trace_anyway();
  }
  file_.lines().flush();
}

void Profiler::trace_anyway() {
  const bool needs_no_launches =
      request_.window.kind == ProfileWindow::Kind::all && request_.mode != ProfileMode::sample;
  if (!trace_ || !needs_no_launches) return;
  try {
    start_tracing();
    window_open_ = true;
    stage_ = Stage::waiting;
  } catch (const profile::CuptiError&) {  // for the same reason, which is reported
  }
}

void Profiler::watch_launches(bool on) {
  if (!watch_ || watching_ == on) return;
  watch_->watch_launches(on);
  watching_ = on;
}

// ---- tracing and counting -------------------------------------------------------------------

void Profiler::start_tracing() {
  if (tracing_) return;
  trace_->start();
  tracing_ = true;
}

void Profiler::stop_tracing() {
  if (!tracing_) return;
  trace_->stop();
  tracing_ = false;
  file_.lines().flush();
}

std::string_view Profiler::serialisation_hazard() const {
  if (communicates_) {
    return "kernels that wait for other processes (NCCL, NVSHMEM) must not be serialised";
  }
  if (has_graphs_) return "kernels of CUDA graphs cannot be told apart by their launches";
  if (reference_.size() > most_counted_kernels) return "a step has too many kernels";
  return {};
}

void Profiler::start_counting() {
  const int device = profile::device_of(*cupti_, context_);
  bool kernels = request_.mode == ProfileMode::kernels;
  if (const std::string_view hazard = serialisation_hazard(); kernels && !hazard.empty()) {
    kernels = false;
    file_.lines().warning("kernels are not counted one by one: " + std::string(hazard),
                          "the totals of the step are counted");
  }
  counting_ = std::make_unique<StepCounting>(cupti_, context_, device, reference_, kernels, file_);
  file_.chip(device, counting_->chip());
  file_.lines().flush();
}

void Profiler::finish() {
  OpTeller::here().close();
  counting_.reset();
  stage_ = Stage::done;
  watch_launches(false);
  file_.lines().flush();
  // The program may want to profile itself. This is a callback: it cannot leave by itself.
  std::thread([this] { watch_->unsubscribe(); }).detach();
}

void Profiler::tell(const profile::CuptiError& error) {
  profile::CounterFault fault = profile::fault_of(*cupti_, error);
  if (told_ == fault) return;
  file_.lines().warning(fault.what, fault.hint);
  told_ = std::move(fault);
}

void Profiler::fail(const profile::CuptiError& error) {
  if (stage_ == Stage::counting && profile::is_held_by_another(error)) {
    held_ = error;
    retry_at_ = Clock::now() + retry_after;
    counting_.reset();
    step_is_open_ = false;
    return;
  }
  tell(error);
  OpTeller::here().close();
  counting_.reset();
  step_is_open_ = false;
  stage_ = Stage::done;
  try {
    watch_launches(false);
  } catch (const profile::CuptiError&) {  // it is off then
  }
  file_.lines().flush();
}

void Profiler::context_begins(void* context) {
  const std::lock_guard lock(mutex_);
  if (stage_ == Stage::done) return;
  if (!first_context_) first_context_ = Clock::now();
  try {
    const int device = profile::device_of(*cupti_, context);
    file_.device(*driver_, device);
    if (request_.mode == ProfileMode::sample && !sampling_) {
      context_ = context;
      sampling_ = sampling_of(cupti_, device, request_, file_);
    }
  } catch (const profile::CuptiError&) {  // the record then does not name the device
  }
  if (request_.window.kind == ProfileWindow::Kind::all || part_) open_window();
}

void Profiler::context_ends(void* context) {
  const std::lock_guard lock(mutex_);
  if (context != context_ || ended_) return;
  if (counting_) counting_->abandon_step();
  counting_.reset();
  if (groups_) groups_->pause();
  if (stage_ != Stage::done) stage_ = Stage::done;
  if (tracing_) trace_->flush(false);
  if (sampling_) sampling_->end();
}

void Profiler::end(std::string_view how) {
  // A signal's handler may end the program while its thread is at work in here.
  const std::unique_lock lock(mutex_, longest_wait);
  if (!lock || ended_) return;
  ended_ = true;
  ops_.end();
  try {
    // The last step has no successor whose begin would end it.
    const bool whole = step_is_open_ && !reference_.empty() && step_.size() == reference_.size();
    if (whole && stage_ == Stage::counting && driver_->synchronize()) end_step();
    if (counting_) counting_->abandon_step();
    counting_.reset();
    if (groups_) groups_->pause();
    if (tracing_) {
      trace_->flush(true);
      stop_tracing();
    }
    if (sampling_) {
      if (window_open_) close_sampling(sampling_.get(), *driver_);
      sampling_->end();
    }
  } catch (const profile::CuptiError&) {  // the driver has gone before us: what is written stays
  }
  if (stage_ == Stage::waiting && !window_open_ && cupti_ && follows_steps()) {
    file_.lines().warning("the window never opened: nothing was collected",
                          "see --window in: rooflab profile --help");
  } else if (stage_ == Stage::searching) {
    file_.lines().warning(
        "no step was found in " + std::to_string(launches_) + " launches: " +
            (groups_ ? "some launches of each kernel were counted" : "nothing was counted") +
            ", and the times are of all kernels that ran",
        "say where steps are with --step launches:N, or --window nvtx:NAME");
    if (untraced_ns_ > 0) {
      constexpr std::int64_t ns_per_ms = 1'000'000;
      file_.lines().warning("while launches were counted, for " +
                            std::to_string(untraced_ns_ / ns_per_ms) +
                            " ms, no kernels were recorded: that time is left out of the trace");
    }
  } else if (stage_ == Stage::timing || stage_ == Stage::tracing || stage_ == Stage::counting ||
             (stage_ == Stage::naming && request_.counters)) {
    file_.lines().warning("the program ended before every step that was wanted had run",
                          "let it run for more steps, or let the window hold more");
  }
  if (held_) tell(*held_);
  if (groups_) groups_->write_launches();
  if (other_contexts_ > 0) {
    file_.lines().lost("launches on other devices than the first",
                       static_cast<std::int64_t>(other_contexts_));
  }
  file_.end(how);
}

// ---- activities, on CUPTI's thread ----------------------------------------------------------

void Profiler::kernel(const profile::KernelActivity& activity) { file_.kernel(activity); }

void Profiler::copy(const profile::CopyActivity& activity) { file_.copy(activity); }

void Profiler::dropped(std::int64_t records) {
  file_.lines().lost("activity records that CUPTI dropped", records);
}

void Profiler::buffer_ends() { file_.lines().flush(); }

}  // namespace rooflab::inject
