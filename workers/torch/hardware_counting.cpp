// A step is run a dozen times more:
//
//   a few steps with times of their kernels (activities, no counters)
//   some with counters of every kernel, a pass each (serialised, caches as a single stream leaves
//   them)
//   some with counters over the whole step, a pass each (kernels concurrent, as they are in use)
//
// Which node and pass a kernel belongs to is noted when it is launched: on this thread in the
// forward pass, on autograd's own in the backward pass. Steps repeat their launches, so that the
// n-th launch of one step is the n-th of the next; a set whose steps differ is counted again.

#include "hardware_counting.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <map>
#include <string>
#include <unordered_map>

#include "backward_hooks.hpp"
#include "clock.hpp"
#include "counters/counter_access.hpp"
#include "counters/demangled_name.hpp"
#include "counters/step_merge.hpp"
#include "engine/engine_notes.hpp"
#include "kernel_trace.hpp"
#include "profile/activity_trace.hpp"
#include "profile/counting_plan.hpp"
#include "profile/cuda_driver.hpp"
#include "profile/launch_fingerprint.hpp"
#include "profile/launch_watch.hpp"
#include "profile/range_session.hpp"
#include "record/counter_metric.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::torch_worker {
namespace {

using graph::NodeId;

constexpr int most_attempts = 5;

/// What the launch under way is for; numbers of Counting::scopes, from 1.
class ScopeTable {
 public:
  explicit ScopeTable(const graph::Graph& graph) : nodes_(graph.nodes.size()) {
    for (const char* pass : {"forward", "backward"}) {
      for (const graph::Node& node : graph.nodes) {
        scopes_.push_back({node.name, std::string(graph::name_of(node.op)), pass});
      }
    }
    scopes_.push_back({"(loss)", "cross_entropy", "loss"});
    scopes_.push_back({"(optimizer)", "optimizer", "optimizer"});
    scopes_.push_back({"(other)", "gradient accumulation", "backward"});
    scopes_.push_back({"(other)", "between nodes", "forward"});
  }

  [[nodiscard]] std::int64_t forward(NodeId node) const { return std::int64_t{node} + 1; }
  [[nodiscard]] std::int64_t backward(NodeId node) const { return forward(node) + count(); }
  [[nodiscard]] std::int64_t loss() const { return 2 * count() + 1; }
  [[nodiscard]] std::int64_t optimizer() const { return loss() + 1; }
  [[nodiscard]] std::int64_t between_backward() const { return loss() + 2; }
  [[nodiscard]] std::int64_t between_forward() const { return loss() + 3; }
  [[nodiscard]] const std::vector<record::LaunchScope>& all() const { return scopes_; }

 private:
  [[nodiscard]] std::int64_t count() const { return static_cast<std::int64_t>(nodes_); }

  std::size_t nodes_;
  std::vector<record::LaunchScope> scopes_;
};

/// One launch of a step as it was asked for.
struct LoggedLaunch {
  std::uint32_t signature = 0;
  std::int64_t scope = 0;
  std::uint32_t correlation = 0;
};

/// Kernels by name, grid and block.
struct Signature {
  std::string symbol;
  record::Extent grid = {};
  record::Extent block = {};
};

/// The launches of the step under way. The forward pass and the backward pass launch on different
/// threads, one after the other.
class LaunchLog : public profile::LaunchListener {
 public:
  bool before_launch(const profile::Launch& launch) override {
    const std::uint64_t fingerprint =
        profile::launch_fingerprint(launch.symbol, launch.grid, launch.block);
    const auto [entry, is_new] =
        numbers_.try_emplace(fingerprint, static_cast<std::uint32_t>(signatures_.size()));
    if (is_new) signatures_.push_back({launch.symbol, launch.grid, launch.block});
    step_.push_back({entry->second, scope_.load(), launch.correlation});
    return false;
  }

  void enter(std::int64_t scope) { scope_ = scope; }
  [[nodiscard]] std::vector<LoggedLaunch> take() { return std::exchange(step_, {}); }
  [[nodiscard]] const std::vector<Signature>& signatures() const { return signatures_; }

 private:
  std::atomic<std::int64_t> scope_ = 0;
  std::vector<LoggedLaunch> step_;
  std::vector<Signature> signatures_;
  std::unordered_map<std::uint64_t, std::uint32_t> numbers_;
};

/// Tells the log which node is at work.
class ScopeObserver : public OpObserver {
 public:
  ScopeObserver(LaunchLog& log, const ScopeTable& scopes)
      : log_(log),
        scopes_(scopes),
        hooks_([this](NodeId node) { log_.enter(scopes_.backward(node)); },
               [this](NodeId) { log_.enter(scopes_.between_backward()); }) {
    log_.enter(scopes_.between_forward());
  }
  void begin(NodeId node) override { log_.enter(scopes_.forward(node)); }
  void end(NodeId node, std::span<const at::Tensor> outputs) override {
    log_.enter(scopes_.between_forward());
    hooks_.attach(node, outputs);
  }
  /// At the end of a part of the step the next one begins.
  void phase_ends(std::string_view phase) {
    if (phase == "forward") log_.enter(scopes_.loss());
    if (phase == "loss") log_.enter(scopes_.between_backward());
    if (phase == "backward") log_.enter(scopes_.optimizer());
  }

 private:
  LaunchLog& log_;
  const ScopeTable& scopes_;
  BackwardHooks hooks_;
};

/// Times and resources of kernels by correlation.
class ActivitiesByCorrelation : public profile::ActivityListener {
 public:
  void kernel(const profile::KernelActivity& activity) override {
    kernels[activity.correlation] = activity;
  }
  void copy(const profile::CopyActivity&) override {}
  void dropped(std::int64_t records) override { lost += records; }

  std::unordered_map<std::uint32_t, profile::KernelActivity> kernels;
  std::int64_t lost = 0;
};

class HardwareCounting {
 public:
  HardwareCounting(Step& step, DeviceBackend& backend, record::Record& record,
                   const std::function<void(double)>& on_progress)
      : step_(step),
        backend_(backend),
        record_(record),
        on_progress_(on_progress),
        scopes_(step.graph()) {}

  void run() {
    std::string why;
    cupti_ = profile::CuptiLibrary::open(counters::counter_access().cupti, why);
    if (!cupti_) return warn({engine::says.counters_not_read, {why}});
    record_.environment.libraries["cupti"] = cupti_->version();
    const auto driver = profile::CudaDriver::open();
    backend_.synchronize();
    if (!driver || driver->current_context() == nullptr) {
      return warn({engine::says.counters_not_read, {"the process has no CUDA context"}});
    }
    record::Counting counting;
    try {
      profile::LaunchWatch watch(cupti_, log_);
      watch.watch_launches(true);
      trace_steps();
      counting.launches_per_step = static_cast<std::int64_t>(reference_.size());
      counting.scopes = scopes_.all();
      profile::RangeSession session(cupti_, driver->current_context(), backend_.device().index());
      counting.chip = session.chip();
      count(session, counting);
    } catch (const profile::CuptiError& error) {
      explain(error);
    }
    write_kernels(std::move(counting));
  }

 private:
  void warn(Note note) { record_.warnings.push_back(std::move(note)); }

  void explain(const profile::CuptiError& error) {
    const profile::CounterFault fault = profile::fault_of(*cupti_, error);
    warn({engine::says.counters_failed, {fault.what, fault.hint}});
  }

  [[nodiscard]] std::vector<LoggedLaunch> run_step() {
    (void)log_.take();
    ScopeObserver observer(log_, scopes_);
    step_.run([&observer](std::string_view phase) { observer.phase_ends(phase); }, &observer);
    backend_.synchronize();
    return log_.take();
  }

  [[nodiscard]] bool is_like_reference(const std::vector<LoggedLaunch>& step) const {
    return std::ranges::equal(step, reference_, {}, &LoggedLaunch::signature,
                              &LoggedLaunch::signature);
  }

  /// The reference step and the times of its kernels: medians of a few steps.
  void trace_steps() {
    reference_ = run_step();
    std::vector<std::vector<LoggedLaunch>> steps;
    {
      profile::ActivityTrace trace(cupti_, activities_);
      trace.start();
      for (int i = 0; i < traced_steps; ++i) steps.push_back(run_step());
      trace.stop();
    }
    times_.resize(reference_.size());
    for (const std::vector<LoggedLaunch>& step : steps) {
      if (!is_like_reference(step)) continue;
      for (std::size_t i = 0; i < step.size(); ++i) {
        const auto found = activities_.kernels.find(step[i].correlation);
        if (found == activities_.kernels.end()) continue;
        const profile::KernelActivity& kernel = found->second;
        times_[i].push_back(static_cast<double>(kernel.end_ns - kernel.start_ns) * 1e-9);
        examples_[static_cast<std::uint32_t>(i)] = kernel;
      }
    }
    if (activities_.lost > 0) {
      record_.lost.push_back({"activity records that CUPTI dropped", activities_.lost, ""});
    }
  }

  void count(profile::RangeSession& session, record::Counting& counting) {
    const profile::MetricsExist exist =
        profile::metrics_exist(cupti_, session.chip(), session.availability());
    profile::CountingPlan plan(session.chip(), exist, true, false);
    while (const auto set = plan.next()) {
      for (const std::string& metric : set->list.missing) {
        record_.lost.push_back({"metrics that this chip does not have", 1, metric});
      }
      profile::RangeValues values = count_set(session, set->list, set->unit, counting);
      if (on_progress_)
        on_progress_(std::min(0.9, 0.5 * static_cast<double>(counting.sets.size())));
      if (set->unit == profile::CountedUnit::step) {
        take_totals(values, counting);
        plan.totals_are(set->list.metrics, values.values);
      } else if (values.ranges == reference_.size()) {
        counters::CountedLaunches& counted = kernel_values_.emplace_back(
            set->list.metrics, std::vector<std::uint32_t>{}, std::move(values.values));
        for (const LoggedLaunch& launch : reference_) counted.launches.push_back(launch.signature);
      }
    }
  }

  /// Counts a set over as many steps as it takes passes; no ranges where steps are never alike.
  profile::RangeValues count_set(profile::RangeSession& session, const profile::MetricList& list,
                                 profile::CountedUnit unit, record::Counting& counting) {
    const profile::MetricConfig config(cupti_, session.chip(), list.metrics,
                                       session.availability());
    record::CounterSet set;
    set.metrics = config.metrics();
    set.per_kernel = unit == profile::CountedUnit::kernel;
    set.launches = static_cast<std::int64_t>(reference_.size());
    profile::RangeValues values;
    for (int attempt = 0; attempt < most_attempts && values.ranges == 0; ++attempt) {
      set.passes = 0;
      const auto arms = Clock::now();
      session.start(config, unit, set.per_kernel ? reference_.size() : 1);
      const auto begins = Clock::now();
      set.arming_s = std::chrono::duration<double>(begins - arms).count();
      if (!began_) {
        began_ = begins;
        counting.arming_s = set.arming_s;
      }
      bool alike = true;
      while (true) {
        alike = is_like_reference(run_step()) && alike;
        ++set.passes;
        if (session.end_pass() || !alike) break;
        session.next_pass();
      }
      if (alike) values = session.finish();
      set.wall_s = seconds_since(begins);
      counting.wall_s = seconds_since(*began_);
      session.abandon();
    }
    const std::size_t wanted = set.per_kernel ? reference_.size() : 1;
    if (values.ranges != wanted) set.dropped = set.launches;
    counting.sets.push_back(std::move(set));
    return values;
  }

  /// Figures and peaks of the whole step.
  static void take_totals(const profile::RangeValues& values, record::Counting& counting) {
    if (values.ranges != 1) return;
    const std::vector<std::string>& metrics = counting.sets.back().metrics;
    for (std::size_t i = 0; i < metrics.size(); ++i) {
      const std::optional<std::string> peaked = profile::peaked_metric(metrics[i]);
      if (peaked && !std::isnan(values.at(0, i))) counting.peaks[*peaked] = values.at(0, i);
    }
    if (!counting.step) {
      record::KernelTable& step = counting.step.emplace();
      step.add({.name = step.names.intern("(step)")});
    }
    const counters::CountedStep step = {metrics, values.values};
    counters::merge_totals(*counting.step, 0, {&step, 1});
  }

  void write_kernels(record::Counting counting) {
    if (reference_.empty()) return;
    record::KernelTable& kernels = record_.kernels.emplace();
    const auto process = kernels.processes.intern("");
    std::vector<std::uint32_t> signatures;
    for (std::size_t i = 0; i < reference_.size(); ++i) {
      const Signature& signature = log_.signatures()[reference_[i].signature];
      record::KernelLaunch launch;
      launch.name = kernels.names.intern(counters::readable_kernel_name(signature.symbol));
      launch.process = process;
      launch.launch = static_cast<std::int64_t>(i);
      launch.device = backend_.device().index();
      launch.grid = signature.grid;
      launch.block = signature.block;
      launch.external_id = reference_[i].scope;
      const auto example = examples_.find(static_cast<std::uint32_t>(i));
      if (example != examples_.end()) launch.stream = example->second.stream;
      const std::size_t row = kernels.add(launch);
      signatures.push_back(reference_[i].signature);
      if (example == examples_.end()) continue;
      using enum record::KernelFigure;
      kernels.set(time_s, row, quantile(times_[i], 0.5));
      kernels.set(registers_per_thread, row, example->second.registers_per_thread);
      kernels.set(shared_memory_bytes, row,
                  static_cast<double>(example->second.shared_memory_bytes));
    }
    (void)counters::merge_steps(kernels, signatures, kernel_values_);
    if (!counting.chip.empty()) record_.counting = std::move(counting);
  }

  Step& step_;
  DeviceBackend& backend_;
  record::Record& record_;
  const std::function<void(double)>& on_progress_;
  ScopeTable scopes_;
  LaunchLog log_;
  ActivitiesByCorrelation activities_;
  std::shared_ptr<const profile::CuptiLibrary> cupti_;
  std::vector<LoggedLaunch> reference_;
  std::vector<std::vector<double>> times_;                     ///< times of each launch
  std::map<std::uint32_t, profile::KernelActivity> examples_;  ///< keys: launch
  std::vector<counters::CountedLaunches> kernel_values_;
  std::optional<Clock::time_point> began_;
};

}  // namespace

void count_in_hardware(Step& step, DeviceBackend& backend, record::Record& record,
                       const std::function<void(double done)>& on_progress) {
  HardwareCounting(step, backend, record, on_progress).run();
}

}  // namespace rooflab::torch_worker
