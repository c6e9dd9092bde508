// The life of a profiled process.
//
//   trace    the window opens: activities on; it closes: off
//   totals   steps are found by their launches; some are timed as they are, some traced, then each
//            takes a pass of the counters; before that a program that knows its ops (PyTorch's) is
//            asked for them in a step of its own
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

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <thread>

#include "nccl_calls.hpp"
#include "nvtx_ranges.hpp"
#include "profile/launch_fingerprint.hpp"
#include "profile/step_detector.hpp"

namespace rooflab::inject {
namespace {

using profile::ProfileMode;
using profile::ProfileWindow;
using profile::StepRule;

constexpr int timing_rounds = 3;
constexpr int round_steps = 5;   // timed in a round, and as many traced
constexpr int timed_parts = 15;  // of steps, each by itself: rounds of one
constexpr int fewest_steps = 3;  // where steps are long
constexpr std::int64_t long_round_ns = 500'000'000;
constexpr std::chrono::milliseconds longest_wait{500};
constexpr std::chrono::milliseconds retry_after{300};  // where another process counts
constexpr std::size_t most_new_graphs = 64;            // beyond, graphs are made anew step by step
constexpr std::size_t most_counted_kernels = 16384;    // of a step: their image is gigabytes else
constexpr std::size_t most_nodes = 1'000'000;          // of graphs
// Before ops are told without steps; a program begins with work that it does once.
constexpr std::chrono::seconds longest_search{3};
constexpr std::uint64_t fewest_searched = 2000;  // launches

using Clock = std::chrono::steady_clock;

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

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

bool waits_for_others(std::string_view symbol) {
  return symbol.find("nccl") != std::string_view::npos ||
         symbol.find("nvshmem") != std::string_view::npos;
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

// ---- windows --------------------------------------------------------------------------------

void Profiler::profiler_starts() {
  const std::lock_guard lock(mutex_);
  if (request_.window.kind == ProfileWindow::Kind::profiler) open_window();
}

void Profiler::profiler_stops() {
  const std::lock_guard lock(mutex_);
  if (request_.window.kind == ProfileWindow::Kind::profiler) close_window();
}

void Profiler::nvtx_window(bool opens) {
  const std::lock_guard lock(mutex_);
  if (opens) {
    open_window();
  } else {
    close_window();
  }
}

void Profiler::open_window() {
  if (window_open_ || stage_ == Stage::done || !cupti_) return;
  window_open_ = true;
  try {
    if (request_.mode == ProfileMode::trace) {
      start_tracing();
      return;
    }
    if (request_.mode == ProfileMode::sample) return open_sampling(sampling_.get(), request_);
    watch_launches(true);
    if (stage_ == Stage::waiting || stage_ == Stage::searching) begin_search();
  } catch (const profile::CuptiError& error) {
    fail(error);
  }
}

void Profiler::close_window() {
  if (!window_open_) return;
  window_open_ = false;
  try {
    if (request_.mode == ProfileMode::trace) {
      driver_->synchronize();
      stop_tracing();
      return;
    }
    if (request_.mode == ProfileMode::sample) return close_sampling(sampling_.get(), *driver_);
    if (stage_ == Stage::searching) {
      if (groups_) groups_->pause();
      stop_tracing();
    }
    // The window's end is the step's, or cuts it off.
    const bool whole = clock_ == nullptr || step_.size() == clock_->launches_per_step();
    if (whole) {
      end_step();
    } else {
      broke();
    }
  } catch (const profile::CuptiError& error) {
    fail(error);
  }
}

// ---- launches -------------------------------------------------------------------------------

bool Profiler::before_launch(const profile::Launch& launch) {
  const std::lock_guard lock(mutex_);
  // A node of a graph, which runs when the graph does.
  std::vector<profile::ProfileMessage> messages;
  if (waits_for_others(launch.symbol)) {
    communicates_ = true;
    messages = take_nccl_messages();
  }
  if (captures_ > 0 && driver_->is_capturing(launch.stream)) return false;
  for (const profile::ProfileMessage& message : messages) {
    file_.lines().message(launch.correlation, message);
  }
  ++launches_;
  if (request_.window.kind == ProfileWindow::Kind::launches) {
    if (launches_ == request_.window.skip + 1) open_window();
    if (request_.window.count > 0 &&
        launches_ == request_.window.skip + request_.window.count + 1) {
      close_window();
      if (!follows_steps()) watch_launches(false);
    }
  } else if (request_.window.kind == ProfileWindow::Kind::time) {
    move_window(first_context_ ? seconds(Clock::now() - *first_context_) : 0.0);
  }
  if (!window_open_ || stage_ == Stage::done || !follows_steps()) return false;
  try {
    return hear_launch(launch);
  } catch (const profile::CuptiError& error) {
    fail(error);
  }
  return false;
}

void Profiler::move_window(double now_s) {
  const ProfileWindow& window = request_.window;
  const double end_s = window.skip_s + window.length_s;
  const bool over = window.length_s > 0.0 && now_s >= end_s;
  if (!over && now_s >= window.skip_s) open_window();
  if (!over || !window_open_) return;
  close_window();
  if (!follows_steps()) watch_launches(false);
}

void Profiler::after_launch() {
  const std::lock_guard lock(mutex_);
  try {
    if (counting_) {
      counting_->after_launch();
    } else if (groups_) {
      groups_->after_launch();
    }
  } catch (const profile::CuptiError& error) {
    fail(error);
  }
}

void Profiler::capture_begins() {
  const std::lock_guard lock(mutex_);
  ++captures_;
}

void Profiler::capture_ends() {
  const std::lock_guard lock(mutex_);
  captures_ = std::max(0, captures_ - 1);
}

void Profiler::node_begins(std::uint64_t node) {
  const std::string ranges = nvtx_ranges_of_this_thread();
  record::ToldLaunch told;
  told.recording = OpTeller::here().recording();
  if (told.recording >= 0) told.call = OpTeller::op_of_this_thread();
  if (told.recording < 0 && ranges.empty()) return;
  const std::lock_guard lock(mutex_);
  if (nodes_.size() >= most_nodes) return;
  if (!ranges.empty()) told.range = file_.number_of_range(ranges);
  nodes_[node] = told;
}

void Profiler::node_is_copied(std::uint64_t node, std::uint64_t original) {
  const std::lock_guard lock(mutex_);
  const auto found = nodes_.find(original);
  if (found == nodes_.end()) {
    nodes_.erase(node);
    return;
  }
  const record::ToldLaunch told = found->second;
  nodes_[node] = told;
  file_.lines().node(node, told.recording, told.call, told.range);
}

bool Profiler::hear_launch(const profile::Launch& launch) {
  if (context_ == nullptr) context_ = launch.context;
  if (launch.context != context_) {
    ++other_contexts_;
    return false;
  }
  if (launch.kind == profile::LaunchKind::graph) hear_graph(launch.graph);
  const std::uint64_t fingerprint = profile::launch_fingerprint(
      launch.symbol, launch.grid, launch.block, launch.shared_memory_bytes, launch.graph);
  if (!clock_) {  // the window is the step
    if (!step_is_open_) begin_step(launch);
  } else {
    // Launches that were held up for counters tell nothing of where the program waits.
    const double now =
        seconds(Clock::now().time_since_epoch()) - (groups_ ? groups_->spent_s() : 0.0);
    const profile::StepEvent event = clock_->before_launch(fingerprint, now);
    if (clock_->generation() != generation_) begin_anew();
    switch (part_ ? event_of_part(event, launch) : event) {
      case profile::StepEvent::begins:
        end_step();
        if (stage_ != Stage::done) begin_step(launch);
        break;
      case profile::StepEvent::ends:
        end_step();
        break;
      case profile::StepEvent::broke:
        broke();
        break;
      case profile::StepEvent::searching:
      case profile::StepEvent::inside:
        break;
    }
  }
  if (step_is_open_ || stage_ == Stage::naming) {
    const std::uint32_t id = file_.id_of(fingerprint, launch);
    if (step_is_open_) step_.push_back(id);
    if (launch.kind == profile::LaunchKind::kernel) step_has_kernels_ = true;
    if (stage_ == Stage::naming && launch.kind == profile::LaunchKind::kernel) {
      ops_.launch(id, launch.correlation);
      if (ops_.is_overdue()) end_naming();
    }
    if (stage_ == Stage::counting && counting_) return counting_->before_launch(id);
  } else if (stage_ == Stage::searching && launch.kind == profile::LaunchKind::kernel) {
    tell_ops_without_steps(fingerprint, launch);
  }
  return count_by_group(launch, fingerprint);
}

void Profiler::tell_ops_without_steps(std::uint64_t fingerprint, const profile::Launch& launch) {
  if (ops_.active()) {
    ops_.launch(file_.id_of(fingerprint, launch), launch.correlation);
    if (ops_.has_told_enough()) ops_.end();
    return;
  }
  // Kernels that are not recorded have no times that ops could have.
  const bool may_ask =
      ops_.can_begin_part() && tracing_ && request_.step.kind == StepRule::Kind::automatic &&
      request_.overhead.share > 0.0 && search_began_ && launches_ >= fewest_searched &&
      Clock::now() - *search_began_ >= longest_search;
  if (may_ask) ops_.begin_part();
}

bool Profiler::count_by_group(const profile::Launch& launch, std::uint64_t fingerprint) {
  const bool wanted = request_.mode == ProfileMode::kernels && request_.counters &&
                      request_.overhead.share > 0.0 && stage_ == Stage::searching &&
                      request_.step.kind == StepRule::Kind::automatic;
  if (!wanted || refuses_groups_) return false;
  try {
    if (launch.kind == profile::LaunchKind::graph) {
      if (groups_) groups_->graph_launched();
      return false;
    }
    if (!groups_) {
      const int device = profile::device_of(*cupti_, context_);
      groups_ = std::make_unique<GroupCounting>(
          cupti_, context_, device, request_.overhead.share,
          [this](bool on) { count_launches(on); }, file_);
      file_.chip(device, groups_->chip());
    }
    return groups_->before_launch(file_.id_of(fingerprint, launch),
                                  captures_ == 0 && !communicates_ && !ops_.active());
  } catch (const profile::CuptiError& error) {
    give_up_groups(error);
  }
  return false;
}

void Profiler::count_launches(bool on) {
  if (on) {
    stop_tracing();
    untraced_since_ns_ = trace_->now_ns();
    return;
  }
  start_tracing();
  const std::int64_t now = trace_->now_ns();
  file_.lines().untraced(untraced_since_ns_, now);
  untraced_ns_ += now - untraced_since_ns_;
}

/// Times of kernels and of steps can be had without counters.
void Profiler::give_up_groups(const profile::CuptiError& error) {
  tell(error);
  refuses_groups_ = true;
  if (groups_) groups_->pause();
  groups_.reset();
  if (stage_ == Stage::searching) start_tracing();
}

void Profiler::hear_graph(std::uintptr_t graph) {
  has_graphs_ = true;
  if (clock_ && graphs_.size() < most_new_graphs && graphs_.insert(graph).second) {
    clock_->search_anew();
  }
}

profile::StepEvent Profiler::event_of_part(profile::StepEvent step, const profile::Launch& launch) {
  const profile::StepEvent event = part_->before_launch(
      step, {.thread = launch.thread, .updates = profile::updates_parameters(launch.symbol)});
  if (const profile::PartProblem& problem = part_->problem(); !problem.what.empty()) {
    file_.lines().warning(problem.what, problem.hint);
    finish();
  }
  return event;
}

// ---- steps ----------------------------------------------------------------------------------

void Profiler::begin_step(const profile::Launch& launch) {
  if (stage_ == Stage::searching && ops_.active()) {
    ops_.stop();
    if (ops_.is_told()) return;  // which takes the host time
    ops_.end();
  }
  step_is_open_ = true;
  step_.clear();
  if (stage_ == Stage::searching) {
    if (groups_) groups_->pause();
    stop_tracing();
    begin_stage(Stage::timing);
  }
  switch (stage_) {
    case Stage::timing:
      if (steps_in_round_ == 0) {  // always, for a part of a step: other work lies between two
        driver_->synchronize();
        round_began_ns_ = trace_->now_ns();
      }
      break;
    case Stage::tracing:
      // Tells the kernels of graphs apart.
      file_.lines().step_begin(launch.correlation, trace_->now_ns());
      break;
    case Stage::naming:
      ops_.begin_step();
      break;
    case Stage::counting:
      if (!counting_ && Clock::now() < *retry_at_) break;
      driver_->synchronize();
      if (!counting_) start_counting();
      counting_->begin_step();
      held_.reset();
      break;
    case Stage::waiting:
    case Stage::searching:
    case Stage::done:
      break;
  }
}

void Profiler::end_step() {
  if (!step_is_open_) return;
  step_is_open_ = false;
  if (stage_ == Stage::counting) {
    if (!counting_) return;
    driver_->synchronize();
    counting_->end_step(step_);
    if (counting_->done()) finish();
    return;
  }
  if (stage_ == Stage::naming && ops_.end_step()) return end_naming();
  if (stage_ != Stage::timing && stage_ != Stage::tracing) return;
  if (reference_.empty()) reference_ = step_;
  ++steps_in_round_;
  const bool long_enough = trace_->now_ns() - round_began_ns_ >= long_round_ns;
  const bool alone = part_ && stage_ == Stage::timing;
  if (steps_in_round_ < (alone ? 1 : long_enough ? fewest_steps : round_steps)) return;
  driver_->synchronize();
  if (stage_ == Stage::timing) {
    file_.lines().timed_steps(steps_in_round_, trace_->now_ns() - round_began_ns_);
    steps_in_round_ = 0;
    if (++rounds_ < (part_ ? timed_parts : timing_rounds)) return;
    start_tracing();
    begin_stage(Stage::tracing);
  } else {
    stop_tracing();
    file_.lines().sequence(reference_);
    begin_stage(Stage::naming);
    if (!step_has_kernels_ || !ops_.begin_steps(reference_.size()))
      end_naming();  // nodes were told before
  }
}

void Profiler::end_naming() {
  ops_.end();
  if (!request_.counters) return finish();
  begin_stage(Stage::counting);
  start_counting();
}

void Profiler::begin_stage(Stage stage) {
  stage_ = stage;
  rounds_ = 0;
  steps_in_round_ = 0;
  round_began_ns_ = trace_->now_ns();
}

void Profiler::broke() {
  if (!step_is_open_) return;
  step_is_open_ = false;
  if (stage_ == Stage::counting && counting_ && counting_->armed()) {
    driver_->synchronize();
    counting_->abandon_step();
    if (counting_->done()) finish();
  } else if (stage_ == Stage::timing) {
    steps_in_round_ = 0;
  } else if (stage_ == Stage::tracing) {
    file_.lines().step_broke(trace_->now_ns());
  } else if (stage_ == Stage::naming && ops_.broke()) {
    end_naming();
  }
}

void Profiler::begin_anew() {
  generation_ = clock_->generation();
  if (part_) part_->forget();
  if (stage_ == Stage::searching) return;
  ops_.end();
  counting_.reset();
  step_is_open_ = false;
  step_has_kernels_ = false;
  reference_.clear();
  begin_search();
}

/// Where steps are told by a rule there is nothing to search for.
void Profiler::begin_search() {
  stage_ = Stage::searching;
  search_began_ = Clock::now();
  if (request_.step.kind == StepRule::Kind::automatic) start_tracing();
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
