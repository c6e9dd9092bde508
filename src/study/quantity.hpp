#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rooflab::study {

/// What a study can state about a case: the words of its hypotheses, tables, charts and published
/// figures. docs/methods/quantities.md says what each is, and of which phase.
struct Quantity {
  std::string_view name;   ///< in a study file and in JSON: `time`
  std::string_view title;  ///< for people: `time of a step`
  /// In the results of commands: `limit_s`. Where each command has another, how these end: `s`.
  std::string_view key;
  std::string_view own_unit = {};  ///< where the key does not say it: `MAC`

  /// `s`, `FLOP`, `B`, ...; empty for a bare number and for shares.
  [[nodiscard]] std::string_view unit() const;
};

/// All of them, by subject.
[[nodiscard]] std::span<const Quantity> quantities();

/// Their names, in that order.
[[nodiscard]] std::vector<std::string> quantity_names();

/// The quantity of that name; nullptr: unknown.
[[nodiscard]] const Quantity* find_quantity(std::string_view name);

/// The first whose key that is; nullptr: none.
[[nodiscard]] const Quantity* find_quantity_of_key(std::string_view key);

/// A value of it for people: `12.1 ms`, `45.8 GFLOP`, `97.6 %`, `34.74 FLOP/B`, `1.89x`, `1,812`.
/// What has a unit with prefixes (s, FLOP, B, J, W, ...) is scaled, counts and ratios are not.
[[nodiscard]] std::string text_of(const Quantity& quantity, double value);

}  // namespace rooflab::study
