#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/analyze/comparand.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/rank_test.hpp"

namespace rooflab::analyze {

/// The result of a comparison of two times.
enum class Difference : std::uint8_t {
  faster,                 ///< B takes less time, significantly
  slower,                 ///< B takes more time, significantly
  insignificant,          ///< the steps of both may well come from one distribution
  undecided,              ///< too few steps for any difference to be significant
  as_predicted,           ///< the measured median lies in the predicted interval
  faster_than_predicted,  ///< it lies below
  slower_than_predicted,  ///< it lies above
  without_spread,  ///< nothing was measured, or the other time has no interval: a ratio and no test
  unavailable,     ///< one of them has no time
};
constexpr auto names_in_order(For<Difference>) {
  return names_through<Difference::unavailable>(
      "faster", "slower", "no significant difference", "too few steps", "as predicted",
      "faster than predicted", "slower than predicted", "without spread", "no time");
}

/// B beside A. `speedup` is A's time over B's: above 1, B is faster.
struct Comparison {
  Comparand a;
  Comparand b;
  std::optional<double> speedup;
  /// [A.low / B.high, A.high / B.low] from the medians' 95 % intervals: at least 90 % confidence;
  /// from the 90 % interval of a prediction.
  std::optional<double> speedup_low;
  std::optional<double> speedup_high;
  std::optional<RankTest> test;  ///< test of the steps of both
  Difference difference = Difference::unavailable;
  std::string verdict;                   ///< a sentence
  std::vector<std::string> differences;  ///< beside time: `libtorch: 1.13.1, 2.11.0`
};
[[nodiscard]] std::span<const Field> fields_of(For<Comparison>);

[[nodiscard]] Comparison compare(const Comparand& a, const Comparand& b);

/// Pairs of two lists, in the order of the first, and what found no partner.
struct ComparisonList {
  std::vector<Comparison> pairs;
  std::vector<Comparand> only_a;
  std::vector<Comparand> only_b;
};
[[nodiscard]] std::span<const Field> fields_of(For<ComparisonList>);

/// One case each: they are compared, whatever they are. Several: cases of the same model, batch,
/// phase and precision are, those alike in everything else first, then those alike but for the
/// device, then any; where several fit at a stage none is guessed.
[[nodiscard]] ComparisonList compare_all(std::span<const Comparand> a,
                                         std::span<const Comparand> b);

}  // namespace rooflab::analyze
