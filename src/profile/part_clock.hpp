#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "rooflab/profile/profile_request.hpp"
#include "step_clock.hpp"

/// Which launches of a training step are its forward and its backward pass. Standard library only:
/// this is part of the injected library too.
namespace rooflab::profile {

/// What a launch tells about its pass.
struct PassHint {
  std::uintptr_t thread = 0;
  bool updates = false;  ///< its kernel is one of an optimizer
};

/// A kernel that PyTorch launches in optimizers over many tensors at once, and not in networks.
[[nodiscard]] bool updates_parameters(std::string_view symbol);

/// Launches `begin` to `end` - 1 of a step; over the step's end into the next where `end` is not
/// greater.
struct LaunchSpan {
  std::size_t begin = 0;
  std::size_t end = 0;

  friend bool operator==(const LaunchSpan&, const LaunchSpan&) = default;
};

/// Why a part of a step cannot be told apart, and what helps.
struct PartProblem {
  std::string_view what;  ///< empty: it can be told
  std::string_view hint;
};

/// The part of a step whose launches are `step`, which may begin anywhere in the step.
/// part_clock.cpp says by which rules; `first_thread` was the first of the process to launch.
/// Without it `problem` says why.
[[nodiscard]] LaunchSpan part_of_step(StepPart part, std::uintptr_t first_thread,
                                      const std::vector<PassHint>& step, PartProblem& problem);

/// Follows the steps that a StepClock finds, learns from the first of them where the part is, and
/// makes of the step's events those of the part.
class PartClock {
 public:
  explicit PartClock(StepPart part) : part_(part) {}

  /// For every launch, with what the clock of the steps says of it.
  StepEvent before_launch(StepEvent step, PassHint launch);
  /// The supposed step was not the step.
  void forget();
  /// Why the part is not found; once it is known, nothing else happens.
  [[nodiscard]] const PartProblem& problem() const { return problem_; }

 private:
  static constexpr int learned_steps = 3;  ///< that must agree

  StepEvent learn(StepEvent step, PassHint launch);
  void learned();
  StepEvent follow(StepEvent step);

  StepPart part_;
  PartProblem problem_;
  std::uintptr_t first_thread_ = 0;
  int whole_ = 0;  ///< steps that were learned from
  bool knows_ = false;
  bool inside_ = false;          ///< a step is under way
  bool open_ = false;            ///< the part is
  std::size_t next_ = 0;         ///< number of the next launch of the step
  std::vector<PassHint> step_;   ///< the step under way
  std::vector<PassHint> first_;  ///< the first whole one
  LaunchSpan span_;
};

}  // namespace rooflab::profile
