#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rooflab::trace {

/// What a moment of a step is counted to: the first of these that is going on.
enum class StepRole : std::uint8_t {
  kernel,
  memcpy,
  memset,
  communication,
  runtime,
  data_loader,
  cpu_op,
  other,  ///< none of them: idle, or Python outside of ops
};
inline constexpr std::size_t step_role_count = static_cast<std::size_t>(StepRole::other) + 1;

/// `kernel`, `memcpy`, ...
[[nodiscard]] std::string_view name_of(StepRole role);

struct StepCosts {
  std::string step;
  std::array<std::int64_t, step_role_count> role_ns{};
  std::int64_t total_ns = 0;
};

/// Mean over the steps; zeros without steps.
struct MeanStepCosts {
  std::array<double, step_role_count> role_ns{};
  double total_ns = 0.0;
};

struct StepBreakdown {
  std::vector<StepCosts> steps;
  MeanStepCosts mean;
};

/// Computation and communication of a step, and how much of them went on at the same time.
struct StepOverlap {
  std::string step;
  std::int64_t computation_only_ns = 0;
  std::int64_t overlap_ns = 0;
  std::int64_t communication_only_ns = 0;
  std::int64_t other_ns = 0;
};
struct MeanStepOverlap {
  double computation_only_ns = 0.0;
  double overlap_ns = 0.0;
  double communication_only_ns = 0.0;
  double other_ns = 0.0;
};
struct OverlapTable {
  bool has_communication = false;
  std::vector<StepOverlap> steps;
  MeanStepOverlap mean;
};

}  // namespace rooflab::trace
