#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "rooflab/profile/profile_request.hpp"
#include "step_clock.hpp"

/// Finds the launches of a training step's forward and backward pass. Uses only the standard
/// library, because it is part of the injected library too.
namespace rooflab::profile {

/// Evidence of a launch about its pass.
struct PassHint {
  std::uintptr_t thread = 0;
  bool updates = false;  ///< its kernel belongs to an optimizer
};

/// Whether a kernel is one that PyTorch launches in optimizers over many tensors at once, and not
/// in networks.
[[nodiscard]] bool updates_parameters(std::string_view symbol);

/// Launches `begin` to `end` - 1 of a step; it continues into the next step where `end` is not
/// greater.
struct LaunchSpan {
  std::size_t begin = 0;
  std::size_t end = 0;

  friend bool operator==(const LaunchSpan&, const LaunchSpan&) = default;
};

/// Reason why a part of a step cannot be found, and advice.
struct PartProblem {
  std::string_view what;  ///< empty: it can be found
  std::string_view hint;
};

/// The part of a step whose launches are `step`, which may begin anywhere in the step. The rules
/// are in part_clock.cpp. `first_thread`: the first thread of the process that launched. If the
/// part is not found, `problem` has the reason.
[[nodiscard]] LaunchSpan part_of_step(StepPart part, std::uintptr_t first_thread,
                                      const std::vector<PassHint>& step, PartProblem& problem);

/// Follows the steps of a StepClock, learns the place of the part from the first ones, and converts
/// events of steps to events of the part.
class PartClock {
 public:
  explicit PartClock(StepPart part) : part_(part) {}

  /// Must be called for every launch with the event of the step's clock.
  StepEvent before_launch(StepEvent step, PassHint launch);
  /// Forgets everything, because the assumed step was wrong.
  void forget();
  /// Reason why the part is not found; once set, nothing else happens.
  [[nodiscard]] const PartProblem& problem() const { return problem_; }

 private:
  static constexpr int learned_steps = 3;  ///< number of steps that must agree

  StepEvent learn(StepEvent step, PassHint launch);
  void learned();
  StepEvent follow(StepEvent step);

  StepPart part_;
  PartProblem problem_;
  std::uintptr_t first_thread_ = 0;
  int whole_ = 0;  ///< number of steps used for learning
  bool knows_ = false;
  bool inside_ = false;          ///< a step is running
  bool open_ = false;            ///< the part is running
  std::size_t next_ = 0;         ///< number of the next launch of the step
  std::vector<PassHint> step_;   ///< launches of the running step
  std::vector<PassHint> first_;  ///< launches of the first complete step
  LaunchSpan span_;
};

}  // namespace rooflab::profile
