#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"

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
constexpr auto names_in_order(For<StepRole>) {
  return names_through<StepRole::other>("kernel", "memcpy", "memset", "communication", "runtime",
                                        "data_loader", "cpu_op", "other");
}

struct StepCosts {
  std::string step;
  std::array<std::int64_t, values_of<StepRole>.size()> role_ns{};
  std::int64_t total_ns = 0;
};

/// Mean over the steps; zeros without steps.
struct MeanStepCosts {
  std::array<double, values_of<StepRole>.size()> role_ns{};
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
