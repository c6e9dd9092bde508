#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <vector>

#include "profile/counting_plan.hpp"
#include "profile/range_session.hpp"
#include "profile_file.hpp"

namespace rooflab::inject {

/// Counts the sets of a CountingPlan, of every kernel and of the whole step: a pass is a step.
/// Whoever drives it says where steps begin and end; the device must have finished its work at
/// both. Values go to the file as soon as they are there.
class StepCounting {
 public:
  /// `sequence`: signatures of a step's launches, in order. Throws CuptiError.
  StepCounting(std::shared_ptr<const profile::CuptiLibrary> cupti, void* context, int device,
               std::vector<std::uint32_t> sequence, bool kernels, ProfileFile& file);

  [[nodiscard]] bool done() const { return !config_; }
  [[nodiscard]] bool armed() const { return session_.armed(); }
  [[nodiscard]] const std::string& chip() const { return session_.chip(); }

  /// Arms the next pass. Throws CuptiError.
  void begin_step();
  /// To be asked for every launch of the step. True: it is counted by itself, and after_launch()
  /// must follow.
  [[nodiscard]] bool before_launch(std::uint32_t signature);
  void after_launch();
  /// Takes its counts. `launched`: the signatures of the launches since begin_step. After a step
  /// that was not like the reference the set is counted again, a few times. Throws CuptiError.
  void end_step(const std::vector<std::uint32_t>& launched);
  /// Forgets the set under way: its step broke off.
  void abandon_step();

 private:
  using Clock = std::chrono::steady_clock;

  void choose_next();
  void write_totals(const profile::RangeValues& values);
  void write_kernels(const profile::RangeValues& values);
  void write_groups(const profile::RangeValues& values);
  void end_set(std::int64_t dropped);

  std::shared_ptr<const profile::CuptiLibrary> cupti_;
  profile::RangeSession session_;
  std::vector<std::uint32_t> sequence_;
  ProfileFile& file_;
  profile::MetricsExist exist_;
  profile::CountingPlan plan_;

  std::optional<profile::MetricConfig> config_;  ///< configuration of the current set
  profile::CountedUnit unit_ = profile::CountedUnit::step;
  std::size_t groups_ = 0;                   ///< different signatures of the step
  std::unordered_set<std::uint32_t> taken_;  ///< signatures that this pass has counted
  std::size_t set_ = 0;
  int attempts_ = 0;
  int passes_ = 0;
  std::chrono::nanoseconds arming_{};  ///< arming of this set
  std::chrono::nanoseconds first_arming_{};
  Clock::time_point set_began_;  ///< its first counted step
  std::optional<Clock::time_point> began_;
};

}  // namespace rooflab::inject
