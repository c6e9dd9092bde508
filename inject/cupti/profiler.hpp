#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "group_counting.hpp"
#include "op_steps.hpp"
#include "profile/activity_trace.hpp"
#include "profile/cuda_driver.hpp"
#include "profile/launch_watch.hpp"
#include "profile/part_clock.hpp"
#include "profile/step_clock.hpp"
#include "profile_file.hpp"
#include "rooflab/profile/profile_request.hpp"
#include "rooflab/record/modelled_step.hpp"
#include "sampling.hpp"
#include "step_counting.hpp"

namespace rooflab::inject {

/// Observes one process by its request: traces kernels, finds steps, counts them. Never throws into
/// the program, never prints, and does nothing more once it has what was asked for.
class Profiler final : public profile::LaunchListener, public profile::ActivityListener {
 public:
  explicit Profiler(profile::ProfileRequest request);

  /// Inside cuInit: only what needs no context.
  void begin();
  /// NVTX ranges of the window's name, from any thread.
  void nvtx_window(bool opens);
  /// The program ends: what is under way is finished or given up. `how`: `exit`, `_exit`.
  void end(std::string_view how);

  [[nodiscard]] const profile::ProfileRequest& request() const { return request_; }

  // LaunchListener
  bool before_launch(const profile::Launch& launch) override;
  void after_launch() override;
  void capture_begins() override;
  void capture_ends() override;
  void node_begins(std::uint64_t node) override;
  void node_is_copied(std::uint64_t node, std::uint64_t original) override;
  void profiler_starts() override;
  void profiler_stops() override;
  void context_begins(void* context) override;
  void context_ends(void* context) override;

  // ActivityListener
  void kernel(const profile::KernelActivity& activity) override;
  void copy(const profile::CopyActivity& activity) override;
  void dropped(std::int64_t records) override;
  void buffer_ends() override;

 private:
  enum class Stage : std::uint8_t {
    waiting,    ///< for the window
    searching,  ///< for the first step
    timing,     ///< steps as they are
    tracing,    ///< steps with times of their kernels
    naming,     ///< steps whose launches are told with their ops
    counting,   ///< steps with counters
    done,
  };

  /// Whether launches are followed at all; else the window alone counts.
  [[nodiscard]] bool follows_steps() const {
    return request_.mode != profile::ProfileMode::trace &&
           request_.mode != profile::ProfileMode::sample;
  }
  /// Times of kernels can be had where another profiler hears of the launches.
  void trace_anyway();
  void open_window();
  void close_window();
  /// A window by time opens and closes with launches; `now_s`: since the first context.
  void move_window(double now_s);
  [[nodiscard]] bool hear_launch(const profile::Launch& launch);
  /// Ops are told for a while where no step is found.
  void tell_ops_without_steps(std::uint64_t fingerprint, const profile::Launch& launch);
  /// Whether the launch is counted by itself, as no step is known yet.
  [[nodiscard]] bool count_by_group(const profile::Launch& launch, std::uint64_t fingerprint);
  void give_up_groups(const profile::CuptiError& error);
  void hear_graph(std::uintptr_t graph);
  /// What the launch is to the part of the step that is wanted.
  profile::StepEvent event_of_part(profile::StepEvent step, const profile::Launch& launch);
  void begin_step(const profile::Launch& launch);
  void end_step();
  void end_naming();
  void begin_stage(Stage stage);
  void begin_search();
  void broke();
  /// The supposed step was not the step.
  void begin_anew();
  void start_tracing();
  void stop_tracing();
  void start_counting();
  void finish();
  void fail(const profile::CuptiError& error);
  /// Why counters cannot be read, once.
  void tell(const profile::CuptiError& error);
  void watch_launches(bool on);
  /// Why kernels cannot be counted one by one; empty when they can.
  [[nodiscard]] std::string_view serialisation_hazard() const;

  const profile::ProfileRequest request_;
  std::timed_mutex mutex_;  ///< guards everything below except the file, which has its own
  ProfileFile file_;
  std::shared_ptr<const profile::CuptiLibrary> cupti_;
  std::unique_ptr<profile::CudaDriver> driver_;
  std::unique_ptr<profile::LaunchWatch> watch_;
  std::unique_ptr<profile::ActivityTrace> trace_;
  std::unique_ptr<profile::StepClock> clock_;
  std::optional<profile::PartClock> part_;  ///< where a part of every step is wanted
  OpSteps ops_;
  std::unique_ptr<StepCounting> counting_;
  std::unique_ptr<GroupCounting> groups_;
  /// Launches are counted one by one: nothing is traced meanwhile.
  void count_launches(bool on);
  std::int64_t untraced_since_ns_ = 0;
  std::int64_t untraced_ns_ = 0;
  std::optional<profile::CounterFault> told_;
  /// Another process holds the counters: they are asked for again then. Steps are followed
  /// meanwhile.
  std::optional<std::chrono::steady_clock::time_point> retry_at_;
  std::optional<profile::CuptiError> held_;  ///< why they were not ours at last
  bool refuses_groups_ = false;              ///< the driver does not let us count, which was said
  int captures_ = 0;                         ///< streams whose launches become nodes of graphs
  std::unordered_map<std::uint64_t, record::ToldLaunch> nodes_;  ///< nodes of graphs that were told
  std::optional<std::chrono::steady_clock::time_point> search_began_;
  std::unique_ptr<profile::SamplingThread> sampling_;  ///< in the mode `sample`, never destroyed

  Stage stage_ = Stage::waiting;
  std::optional<std::chrono::steady_clock::time_point> first_context_;
  bool window_open_ = false;
  bool watching_ = false;
  bool tracing_ = false;
  bool ended_ = false;
  bool step_is_open_ = false;
  bool step_has_kernels_ = false;  ///< that no graph launches
  void* context_ = nullptr;  ///< context of the first launch; launches of others are not counted
  std::uint64_t launches_ = 0;
  std::uint64_t other_contexts_ = 0;
  bool has_graphs_ = false;
  std::unordered_set<std::uintptr_t> graphs_;  ///< the first ones that were launched
  bool communicates_ = false;                  ///< launches kernels that wait for other processes
  std::vector<std::uint32_t> step_;            ///< signatures of the step under way
  std::vector<std::uint32_t> reference_;       ///< launches of the first whole step
  std::uint32_t generation_ = 0;               ///< number of the current supposed step
  int rounds_ = 0;                             ///< finished rounds of timed steps
  int steps_in_round_ = 0;                     ///< one after the other, without a wait between
  std::int64_t round_began_ns_ = 0;
};

}  // namespace rooflab::inject
