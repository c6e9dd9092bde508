// The window, and what each launch is: a node of a graph, the begin of a step, or one that is
// counted by itself.

#include <algorithm>

#include "nccl_calls.hpp"
#include "nvtx_ranges.hpp"
#include "profile/launch_fingerprint.hpp"
#include "profiler.hpp"

namespace rooflab::inject {
namespace {

using profile::ProfileMode;
using profile::ProfileWindow;
using profile::StepRule;
using Clock = std::chrono::steady_clock;

constexpr std::size_t most_new_graphs = 64;    // beyond, graphs are made anew step by step
constexpr std::size_t most_nodes = 1'000'000;  // of graphs
// Before ops are told without steps; a program begins with work that it does once.
constexpr std::chrono::seconds longest_search{3};
constexpr std::uint64_t fewest_searched = 2000;  // launches

double seconds(Clock::duration duration) { return std::chrono::duration<double>(duration).count(); }

bool waits_for_others(std::string_view symbol) {
  return symbol.find("nccl") != std::string_view::npos ||
         symbol.find("nvshmem") != std::string_view::npos;
}

}  // namespace

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

}  // namespace rooflab::inject
