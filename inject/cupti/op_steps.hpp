#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

#include "op_teller.hpp"
#include "profile_file.hpp"

namespace rooflab::inject {

/// Writes which op launched what, while the program tells its ops: in steps, of which a whole one
/// is enough, or for a while where no step is known. Nothing is timed or counted meanwhile, because
/// telling takes the host time.
class OpSteps {
 public:
  explicit OpSteps(ProfileFile& file) : file_(file) {}

  /// Asks for the ops of steps. False where the program cannot tell them, or they were asked for
  /// before.
  [[nodiscard]] bool begin_steps(std::size_t launches_per_step);
  /// The program can tell the ops of a part of the run, and was not asked for them yet.
  [[nodiscard]] bool can_begin_part() const {
    return !asked_part_ && OpTeller::here().is_offered();
  }
  /// Asks for them.
  void begin_part();
  [[nodiscard]] bool active() const { return active_; }
  /// Ops are told now, whether they are wanted or not.
  [[nodiscard]] bool is_told() const { return OpTeller::here().tells(); }
  /// Every launch, with the number of its signature, on the thread that launches.
  void launch(std::uint32_t id, std::uint32_t correlation);

  /// The program has told as many launches as several steps have, and none of them was whole.
  [[nodiscard]] bool is_overdue() const { return active_ && told_ > most_told_; }
  void begin_step() { whole_ = OpTeller::here().tells(); }
  /// True: the ops are known, or this is given up.
  [[nodiscard]] bool end_step();
  /// The step under way broke off. Returns whether enough is told.
  [[nodiscard]] bool broke();
  /// Whether enough is told of a part of the run.
  [[nodiscard]] bool has_told_enough();
  /// No more ops are needed.
  void stop();
  /// Writes what came of it; does nothing if it is not active.
  void end();

 private:
  using Clock = std::chrono::steady_clock;

  bool begin();

  ProfileFile& file_;
  bool asked_steps_ = false;
  bool asked_part_ = false;
  bool active_ = false;
  bool whole_ = false;         ///< the ops of the step under way were told from its first launch
  bool found_ = false;         ///< those of a whole step were
  bool heard_ = false;         ///< something was told
  int steps_ = 0;              ///< since it was asked, or since the program began to tell
  std::size_t told_ = 0;       ///< launches
  std::size_t most_told_ = 0;  ///< while no step is whole
  Clock::time_point asked_at_;
  Clock::time_point heard_at_;
};

}  // namespace rooflab::inject
