#pragma once

#include <cstddef>
#include <cstdint>

/// Finds the beginnings of a program's steps from its kernel launches. Uses only the standard
/// library, because it is part of the injected library too.
namespace rooflab::profile {

/// Role of a launch in the steps.
enum class StepEvent : std::uint8_t {
  searching,  ///< launch outside of known steps, or rest of a broken or incomplete one
  begins,     ///< the first launch of a step
  inside,     ///< a later launch of the step that began last
  ends,       ///< the first launch after the requested part of a step
  broke,      ///< unexpected launch: the step that began last is invalid
};

/// Finds steps. A step is complete when its `begins` is followed only by `inside` and then another
/// `begins`.
class StepClock {
 public:
  virtual ~StepClock() = default;

  /// Must be called once for every launch, in order, before it is made. `fingerprint`: equal for
  /// launches with equal name, grid and block. `now_s`: any steady clock.
  virtual StepEvent before_launch(std::uint64_t fingerprint, double now_s) = 0;

  /// Forgets the launches so far, which were no step. Does nothing once a step is known.
  virtual void search_anew() {}

  /// Number of launches per step; 0: not known (yet).
  [[nodiscard]] virtual std::size_t launches_per_step() const = 0;

  /// Number that grows whenever another sequence of launches becomes the assumed step: earlier
  /// counts then belong to another step.
  [[nodiscard]] virtual std::uint32_t generation() const { return 0; }
};

/// Steps with a number of launches that the user gave.
class LaunchCountSteps final : public StepClock {
 public:
  /// Takes the number of launches per step; 0 counts as 1.
  explicit LaunchCountSteps(std::size_t launches) : launches_(launches == 0 ? 1 : launches) {}

  StepEvent before_launch(std::uint64_t /*fingerprint*/, double /*now_s*/) override {
    const bool first = next_ == 0;
    if (++next_ == launches_) next_ = 0;
    return first ? StepEvent::begins : StepEvent::inside;
  }

  [[nodiscard]] std::size_t launches_per_step() const override { return launches_; }

 private:
  std::size_t launches_;
  std::size_t next_ = 0;
};

}  // namespace rooflab::profile
