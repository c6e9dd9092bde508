#pragma once

#include <chrono>
#include <cstdint>

#include "op_teller.hpp"
#include "profile_file.hpp"

namespace rooflab::inject {

/// Writes which op launched what, in steps whose ops the program tells: one whole step is enough.
/// Nothing is timed or counted meanwhile, because telling takes the host time.
class OpSteps {
 public:
  explicit OpSteps(ProfileFile& file) : file_(file) {}

  /// Asks for ops. False where the program cannot tell them, or they were asked for before.
  [[nodiscard]] bool begin();
  [[nodiscard]] bool active() const { return active_; }
  /// Every launch, with the number of its signature, on the thread that launches.
  void launch(std::uint32_t id);
  void begin_step() { whole_ = OpTeller::here().tells(); }
  /// True: the ops are known, or this is given up.
  [[nodiscard]] bool end_step();
  /// The step under way broke off. True: likewise.
  [[nodiscard]] bool broke();
  /// Writes what came of it; does nothing if it is not active.
  void end();

 private:
  ProfileFile& file_;
  bool asked_ = false;
  bool active_ = false;
  bool whole_ = false;  ///< the ops of the step under way were told from its first launch
  bool found_ = false;  ///< those of a whole step were
  bool heard_ = false;  ///< something was told
  int steps_ = 0;       ///< since it was asked, or since the program began to tell
  std::chrono::steady_clock::time_point asked_at_;
};

}  // namespace rooflab::inject
