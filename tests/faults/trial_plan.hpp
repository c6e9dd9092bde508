#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <vector>

#include "disturbance.hpp"
#include "trial.hpp"

namespace faults {

/// Draws disturbances for the trials of a scenario; the same seed draws the same.
class TrialPlan {
 public:
  TrialPlan(Trial& trial, std::uint64_t seed) : trial_(trial), random_(seed) {}

  /// One to three runs that are killed one after another; at most `most`.
  [[nodiscard]] std::vector<Disturbance> kills(int most);
  /// One call that fails, in the first run or in one that continues after a kill.
  [[nodiscard]] std::vector<Disturbance> fault();
  /// The calls of a first run and of one that continues after a kill, each with one of its errors;
  /// one of those that do the same to files whose names differ by a number.
  [[nodiscard]] std::vector<std::vector<Disturbance>> all_faults();
  /// Standard streams that are closed, full or cut, and two runs at once.
  [[nodiscard]] static std::vector<std::vector<Disturbance>> streams_and_pair();

 private:
  struct Start {
    std::vector<Disturbance> runs;  ///< before the fault
    std::vector<Call> calls;        ///< calls in the run that it hits
  };
  [[nodiscard]] Disturbance kill();
  [[nodiscard]] Disturbance fault_at(const Call& call);
  /// Fake workers do not look at what becomes of the data that they read.
  [[nodiscard]] bool can_be_judged(const Call& call) const;
  [[nodiscard]] std::vector<Call> one_of_each(const std::vector<Call>& calls);
  [[nodiscard]] const Start& halfway();
  [[nodiscard]] std::size_t below(std::size_t end);

  Trial& trial_;
  std::mt19937_64 random_;
  std::optional<Start> halfway_;
};

}  // namespace faults
