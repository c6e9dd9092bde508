#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "figures.hpp"
#include "quantity.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::study {

/// Where a value without quotes ends.
inline constexpr std::string_view value_ends = "=,()'\" \t\r\n";

/// A word in the brackets of a figure.
struct CaseWord {
  std::string key;  ///< empty: a value of any attribute
  std::string value;

  /// The word as it stands in a text, quoted where it must be.
  [[nodiscard]] std::string text() const;
};

/// `time(resnet18, device=v100)`: which figure of which cases.
struct FigureName {
  const Quantity* quantity = nullptr;
  std::vector<CaseWord> words;

  [[nodiscard]] std::string text() const;
  /// The same for two that name the same figure, whatever the order of their words and their case.
  [[nodiscard]] std::string identity() const;
};

/// A part of a statement. Sums, products, chains and conjunctions hold all their operands side by
/// side, so that the tree is as deep as the text is nested, and no deeper.
struct Node {
  /// What holds its operands together the most comes first.
  enum class Kind {
    number,
    figure,
    minus,
    product,
    sum,
    comparison,
    negation,
    conjunction,
    disjunction,
  };
  Kind kind = Kind::number;
  std::size_t offset = 0;  ///< in the text
  double number = 0.0;
  std::string written;     ///< a number as the user wrote it
  std::string_view unit;   ///< a number's, without prefix: `B/s`; empty: a bare one
  std::size_t figure = 0;  ///< index of a figure in the statement
  std::vector<Node> operands;
  std::vector<std::string_view> operators;  ///< before each operand but the first: `+`, `<=`, `and`

  [[nodiscard]] bool is_truth() const { return kind >= Kind::comparison; }
};

/// What can stand behind a number of a check.
struct NumberUnit {
  std::string_view name;  ///< `GB`, `%`
  double factor;          ///< what the number is multiplied by: 1e9, 0.01
  std::string_view base;  ///< `B`; empty: of any unit; `%`: of none
};
/// nullptr: not a unit.
[[nodiscard]] const NumberUnit* find_number_unit(std::string_view name);
/// All of them, for hints.
[[nodiscard]] std::vector<std::string> unit_names();

/// A text that was read: its tree, and the figures that differ, in the order of the text.
struct Statement {
  Node root;
  std::vector<FigureName> figures;
  Location place;
};

/// See Expression::parse().
[[nodiscard]] Statement read_statement(std::string_view text, const Location& place);

/// Arithmetic over figures, without a comparison: see ShownValue::parse().
[[nodiscard]] Statement read_number(std::string_view text, const Location& place);

/// The figure of the row itself where the name has no words; else that of the case that fits them
/// and agrees with the row in all attributes that they do not fix. nullptr: no case, or several
/// whose values differ.
[[nodiscard]] const Figure* figure_beside(const StudyCase& row, const FigureName& name,
                                          std::span<const StudyCase> cases);

struct Truth {
  bool holds = false;
  bool close = false;  ///< other values within the intervals would give the opposite
};
/// `figures` are those of the statement, in its order. nullopt: a number in it is not finite.
[[nodiscard]] std::optional<Truth> truth_of(const Statement& statement,
                                            std::span<const Figure* const> figures);

/// A value and what it may lie between. `low <= value <= high`, where infinite ends mean that
/// nothing is known on that side.
struct Interval {
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;

  [[nodiscard]] static Interval exact(double value) { return {value, value, value}; }
};
/// The value of a node that is a number.
[[nodiscard]] Interval interval_of(const Node& node, std::span<const Figure* const> figures);
[[nodiscard]] double value_of(const Node& node, std::span<const Figure* const> figures);

/// `~` is |a - b| <= near_within max(|a|, |b|).
inline constexpr double near_within = 0.05;

/// What the statement compares, and what would make it true: `24.1 ms / 11.9 ms = 2.025 (allowed
/// over 1; interval 1.9 to 2.1)`.
[[nodiscard]] std::string numbers_of(const Statement& statement,
                                     std::span<const Figure* const> figures);

}  // namespace rooflab::study
