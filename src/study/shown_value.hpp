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

/// What a column of a table, or an axis of a chart, shows of a case: a quantity, or arithmetic over
/// several in the language of hypotheses.
///
///     time
///     memory / parameter_memory
///     time / time(device=v100)
///
/// A figure without words is the case's own; with words it is that of the one case that fits them
/// and is equal to it in everything else.
class ShownValue {
 public:
  /// Throws Error (input) as Expression::parse() does, and for a comparison. Without a title it is
  /// the quantity's title, or the text.
  [[nodiscard]] static ShownValue parse(std::string_view text, const Location& place,
                                        std::string title = {});

  [[nodiscard]] static ShownValue of_quantity(const Quantity& quantity);

  /// With its interval where all figures have one or are exact. nullopt: a figure is missing, or is
  /// of several cases, or a divisor is 0.
  [[nodiscard]] std::optional<Figure> of(const StudyCase& row,
                                         std::span<const StudyCase> cases) const;

  /// The text in the study's file.
  [[nodiscard]] const std::string& key() const { return key_; }
  [[nodiscard]] const std::string& title() const { return title_; }
  /// Follows from the figures' units: `FLOP/s` of FLOPs over seconds, `x` of a ratio of two alike;
  /// empty: a number without unit.
  [[nodiscard]] const std::string& unit() const { return unit_; }
  /// For people: `12.1 ms`, `287.7x`.
  [[nodiscard]] std::string text(double value) const;
  /// Names of the quantities in it.
  [[nodiscard]] std::set<std::string> quantities() const;
  /// The quantity of a figure alone; nullptr: there is arithmetic.
  [[nodiscard]] const Quantity* quantity() const;

 private:
  ShownValue() = default;

  std::shared_ptr<const Statement> statement_;
  std::string key_;
  std::string title_;
  std::string unit_;
};

}  // namespace rooflab::study
