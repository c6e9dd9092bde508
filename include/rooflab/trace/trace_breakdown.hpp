#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "rooflab/base/described.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/trace/trace_rule.hpp"
#include "rooflab/trace/trace_steps.hpp"

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

/// Time by role; of one step, or the mean over steps.
struct RoleTimes {
  std::array<double, values_of<StepRole>.size()> role_ns{};
  double total_ns = 0.0;

  [[nodiscard]] std::map<StepRole, double> roles_s() const;
};

struct StepCosts {
  StepWindow step;
  RoleTimes times;
};

struct StepBreakdown {
  std::vector<StepCosts> steps;
  RoleTimes mean;  ///< zeros without steps
};

/// Computation and communication, and how much of them went on at the same time; of one step, or
/// the mean over steps.
struct StepOverlap {
  double computation_only_ns = 0.0;
  double overlap_ns = 0.0;
  double communication_only_ns = 0.0;
  double other_ns = 0.0;

  /// Share of the step; nullopt where that takes no time.
  [[nodiscard]] std::optional<double> communication_share() const;
  /// Communication that computation hid, over all of it; nullopt without any.
  [[nodiscard]] std::optional<double> hidden_share() const;
};
struct OverlapTable {
  TraceRule rule = TraceRule::ours;
  bool has_communication = false;
  std::vector<StepOverlap> steps;
  StepOverlap mean;
};

[[nodiscard]] std::span<const Field> fields_of(For<RoleTimes>);
[[nodiscard]] std::span<const Field> fields_of(For<StepCosts>);
[[nodiscard]] std::span<const Field> fields_of(For<StepBreakdown>);
[[nodiscard]] std::span<const Field> fields_of(For<StepOverlap>);
[[nodiscard]] std::span<const Field> fields_of(For<OverlapTable>);

}  // namespace rooflab::trace
