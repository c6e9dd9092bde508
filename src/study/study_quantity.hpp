#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rooflab::study {

/// Quantities that a study can state about a case: the words of its hypotheses, tables, charts and
/// published figures. docs/methods/quantities.md defines each one and its phases.
struct Quantity {
  std::string_view name;   ///< name in a study file and in JSON: `time`
  std::string_view title;  ///< title for people: `time of a step`
  /// Key in the results of commands: `limit_s`. If each command has another key, their common
  /// ending: `s`.
  std::string_view key;
  std::string_view own_unit = {};  ///< unit if the key does not have it: `MAC`

  /// Unit `s`, `FLOP`, `B`, ...; empty for a number without unit and for shares.
  [[nodiscard]] std::string_view unit() const;
};

/// All quantities, by subject.
[[nodiscard]] std::span<const Quantity> quantities();

/// Names of the quantities(), in their order.
[[nodiscard]] std::vector<std::string> quantity_names();

/// Finds a quantity by name; nullptr: unknown.
[[nodiscard]] const Quantity* find_quantity(std::string_view name);

/// Finds the first quantity with a key; nullptr: none.
[[nodiscard]] const Quantity* find_quantity_of_key(std::string_view key);

/// Value of a quantity for people: `12.1 ms`, `45.8 GFLOP`, `97.6 %`, `34.74 FLOP/B`, `1.89x`,
/// `1,812`. Units with prefixes (s, FLOP, B, J, W, ...) are scaled, counts and ratios are not.
[[nodiscard]] std::string text_of(const Quantity& quantity, double value);

}  // namespace rooflab::study
