#pragma once

#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include "rooflab/base/error.hpp"

namespace rooflab::study {

struct Figure;  // src/study/figures.hpp
struct StudyCase;
struct Statement;  // src/study/statement.hpp
struct Quantity;

/// Value of a case in a column of a table or on an axis of a chart: a quantity, or arithmetic over
/// several in the language of hypotheses.
///
///     time
///     memory / parameter_memory
///     time / time(device=v100)
///
/// A figure without words is the case's own; with words it is the figure of the only case that
/// matches them and is equal in everything else.
class ShownValue {
 public:
  /// Parses a value. Throws Error (input) as Expression::parse() does, and for a comparison. The
  /// default title is the quantity's title, or the text.
  [[nodiscard]] static ShownValue parse(std::string_view text, const Location& place,
                                        std::string title = {});

  [[nodiscard]] static ShownValue of_quantity(const Quantity& quantity);

  /// Value for a row, with an interval if all figures have one or are exact. nullopt: a figure is
  /// missing or ambiguous, or a divisor is 0.
  [[nodiscard]] std::optional<Figure> of(const StudyCase& row,
                                         std::span<const StudyCase> cases) const;

  /// The text in the study's file.
  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] const std::string& title() const { return title_; }
  /// Unit by the figures' units: `FLOP/s` for FLOPs over seconds, `x` for a ratio of equal units;
  /// empty: a number without unit.
  [[nodiscard]] const std::string& unit() const { return unit_; }
  /// Formats a value for people: `12.1 ms`, `287.7x`.
  [[nodiscard]] std::string text(double value) const;
  /// Names of the quantities in the value.
  [[nodiscard]] std::set<std::string> quantities() const;
  /// The quantity if the value is a single figure; nullptr: it has arithmetic.
  [[nodiscard]] const Quantity* quantity() const;

 private:
  ShownValue() = default;

  std::shared_ptr<const Statement> statement_;
  std::string key_;
  std::string title_;
  std::string unit_;
};

}  // namespace rooflab::study
