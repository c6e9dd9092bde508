#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/rank_test.hpp"
#include "rooflab/training/training_statistics.hpp"

namespace rooflab::training {

/// What the runs on two devices say about a difference between these.
enum class TrainingVerdict : std::uint8_t {
  real,       ///< significant at 5 %
  not_shown,  ///< it may well be chance
  too_few,    ///< no p-value of so few runs reaches 5 %
  missing,    ///< one side has no such figure
};
constexpr auto names_in_order(For<TrainingVerdict>) {
  return names_through<TrainingVerdict::missing>("real", "not shown", "too few runs", "missing");
}

/// One figure of two groups of runs.
struct TrainingComparison {
  const Figure* figure = nullptr;  ///< one of group_figures()
  std::string a;                   ///< device
  std::string b;
  std::optional<double> median_a;  ///< in the figure's own unit
  std::optional<double> median_b;
  std::optional<double> ratio;    ///< B's median over A's
  std::optional<RankTest> test;   ///< Mann-Whitney, of the runs
  std::optional<double> least_p;  ///< the smallest p-value that this number of runs can give
  TrainingVerdict verdict = TrainingVerdict::missing;
  std::string sentence;                  ///< the verdict, said plainly
  std::vector<std::string> differences;  ///< beside the device: `batch: 128, 256`

  [[nodiscard]] std::optional<double> p_value() const;
};
[[nodiscard]] std::span<const Field> fields_of(For<TrainingComparison>);

/// Every figure of B beside A that either has.
[[nodiscard]] std::vector<TrainingComparison> compare_training(const TrainingGroup& a,
                                                               const TrainingGroup& b);

/// Every pair of groups, in their order.
[[nodiscard]] std::vector<TrainingComparison> compare_training(
    std::span<const TrainingGroup> groups);

}  // namespace rooflab::training
