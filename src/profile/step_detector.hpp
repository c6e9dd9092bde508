#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "step_clock.hpp"

namespace rooflab::profile {

/// Finds the step of a program as the repetition in its launches, without further information.
/// src/profile/step_detector.cpp describes the method and its failures.
///
/// While it follows a step, a launch costs one comparison and no allocation; while it searches, a
/// few comparisons on average and at most 24 bytes per launch of its history.
class StepDetector final : public StepClock {
 public:
  /// Proof that a repetition needs: at least three repetitions, and one of the first three
  /// conditions.
  struct Proof {
    double time_s = 1.0;              ///< it has lasted this long
    std::size_t repetitions = 50;     ///< this many, in at least a tenth of `time_s`
    std::size_t many = 1000;          ///< this many in any time
    std::size_t history = 1U << 20U;  ///< largest number of remembered launches
  };

  StepDetector() : StepDetector(Proof{}) {}
  explicit StepDetector(const Proof& proof) : proof_(proof) {}

  StepEvent before_launch(std::uint64_t fingerprint, double now_s) override;
  void search_anew() override;
  [[nodiscard]] std::size_t launches_per_step() const override { return step_.size(); }
  [[nodiscard]] std::uint32_t generation() const override { return generation_; }

 private:
  enum class State : std::uint8_t {
    searching,  ///< no step is known
    following,  ///< the next launch is known
    resuming,   ///< other launches came in between: the step may continue
    lost,       ///< the step is known but its launches do not come
  };

  struct Launch {
    std::uint64_t fingerprint = 0;
    double time_s = 0.0;
  };

  StepEvent follow(std::uint64_t fingerprint, double now_s);
  StepEvent break_off(std::uint64_t fingerprint, double now_s);
  StepEvent resume(std::uint64_t fingerprint, double now_s);
  StepEvent look_out(std::uint64_t fingerprint, double now_s);

  void take_up(std::uint64_t fingerprint);
  void interrupted_for_long();
  void forget(std::size_t demanded_repetitions);

  void remember(std::uint64_t fingerprint, double now_s);
  StepEvent look();
  [[nodiscard]] std::size_t period_of(std::size_t first, std::size_t length);
  /// Launches [first, end) of the history that repeat with a period.
  struct Stretch {
    std::size_t first = 0;
    std::size_t end = 0;
    std::size_t period = 0;
    std::size_t repetitions = 0;  ///< known repetitions, here and elsewhere

    [[nodiscard]] std::size_t length() const { return end - first; }
  };
  [[nodiscard]] std::optional<Stretch> without_exception(std::size_t period);
  [[nodiscard]] bool proven(const Stretch& stretch) const;
  StepEvent adopt(const Stretch& stretch);
  [[nodiscard]] std::size_t beginning_of(const Stretch& stretch) const;

  Proof proof_;
  State state_ = State::searching;
  std::uint32_t generation_ = 0;

  std::vector<Launch> history_;         ///< since the search began; if too long, the newer half
  std::vector<std::uint32_t> borders_;  ///< borders in the second half of the history; scratch
  std::size_t next_look_ = 16;          ///< length of the history at the next search
  std::size_t demand_ = 0;              ///< launches for which a repetition must continue

  std::vector<std::uint64_t> step_;  ///< fingerprints from its beginning; empty: not known
  std::vector<std::uint32_t> step_borders_;
  std::size_t next_ = 0;      ///< ordinal of the expected launch
  bool in_step_ = false;      ///< the current step was followed from its beginning
  std::size_t run_ = 0;       ///< repetitions since an unexpected launch
  std::size_t long_run_ = 0;  ///< repetitions since the step was lost
  std::size_t extra_ = 0;     ///< unexpected launches
  std::size_t matched_ = 0;   ///< last launches that match the step's beginning
  std::size_t whole_ = 0;     ///< whole steps before the matched launches
  std::size_t breaks_ = 0;
  std::size_t covered_ = 0;      ///< launches since adoption that belong to the step
  std::size_t since_found_ = 0;  ///< all launches since adoption
};

}  // namespace rooflab::profile
