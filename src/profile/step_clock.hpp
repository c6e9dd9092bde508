#pragma once

#include <cstddef>
#include <cstdint>

/// Where the steps of a program begin, told from its kernel launches. Standard library only: this
/// is part of the injected library too.
namespace rooflab::profile {

/// What a launch is to the steps around it.
enum class StepEvent : std::uint8_t {
  searching,  ///< launch outside of known steps: none found yet, or the rest of a broken or a begun
              ///< one
  begins,     ///< the first launch of a step
  inside,     ///< a later launch of the step that began last
  ends,       ///< the first launch after the part of a step that is wanted
  broke,      ///< not the launch that the step goes on with: the step that began last is void
};

/// A step is complete when a `begins` follows its own `begins` and nothing but `inside`.
class StepClock {
 public:
  virtual ~StepClock() = default;

  /// To be asked once for every launch, in order, before it is made. `fingerprint`: equal for
  /// launches with the same name, grid and block. `now_s`: any clock that does not jump.
  virtual StepEvent before_launch(std::uint64_t fingerprint, double now_s) = 0;

  /// What came before was no step, and none is known yet: it is forgotten. Does nothing once a step
  /// is known.
  virtual void search_anew() {}

  /// 0: not known (yet).
  [[nodiscard]] virtual std::size_t launches_per_step() const = 0;

  /// Grows whenever another sequence of launches becomes the supposed step: earlier counts then
  /// belong to something else.
  [[nodiscard]] virtual std::uint32_t generation() const { return 0; }
};

/// A step is a number of launches that the user gave.
class LaunchCountSteps final : public StepClock {
 public:
  /// 0 counts as 1.
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
