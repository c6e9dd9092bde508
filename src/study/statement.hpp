#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "figures.hpp"
#include "rooflab/base/error.hpp"
#include "study_quantity.hpp"

namespace rooflab::study {

/// Characters that end a value without quotes.
inline constexpr std::string_view value_ends = "=,()'\" \t\r\n";

/// A word in the brackets of a figure.
struct CaseWord {
  std::string key;  ///< empty: a value of any attribute
  std::string value;

  /// The word as it is written in a text, quoted if necessary.
  [[nodiscard]] std::string text() const;
};

/// A figure and its cases: `time(resnet18, device=v100)`.
struct FigureName {
  const Quantity* quantity = nullptr;
  std::vector<CaseWord> words;

  [[nodiscard]] std::string text() const;
  /// Canonical text that is equal for names of one figure, regardless of the order and the case of
  /// their words.
  [[nodiscard]] std::string identity() const;
};

/// A part of a statement. Sums, products, chains and conjunctions have all their operands as
/// children, so that the tree is only as deep as the nesting of the text.
struct Node {
  /// Kinds in the order of precedence, highest first.
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
  std::size_t offset = 0;  ///< offset in the text
  double number = 0.0;
  std::string written;     ///< a number as the user wrote it
  std::string_view unit;   ///< unit of a number without prefix: `B/s`; empty: none
  std::size_t figure = 0;  ///< index of a figure in the statement
  std::vector<Node> operands;
  std::vector<std::string_view> operators;  ///< before each later operand: `+`, `<=`, `and`

  [[nodiscard]] bool is_truth() const { return kind >= Kind::comparison; }
};

/// A unit that can follow a number in a check.
struct NumberUnit {
  std::string_view name;  ///< `GB`, `%`
  double factor;          ///< factor of the number: 1e9, 0.01
  std::string_view base;  ///< base unit `B`; empty: any unit; `%`: none
};
/// Finds a unit by name; nullptr: not a unit.
[[nodiscard]] const NumberUnit* find_number_unit(std::string_view name);
/// Names of all units, for hints.
[[nodiscard]] std::vector<std::string> unit_names();

/// A parsed text: its tree, and its distinct figures in the order of the text.
struct Statement {
  Node root;
  std::vector<FigureName> figures;
  Location place;
};

/// Parses a statement, see Expression::parse().
[[nodiscard]] Statement read_statement(std::string_view text, const Location& place);

/// Parses arithmetic over figures without a comparison, see ShownValue::parse().
[[nodiscard]] Statement read_number(std::string_view text, const Location& place);

/// Finds the figure of a name for a row: that of the row itself if the name has no words, else that
/// of the case that matches the words and is equal to the row in all other attributes. nullptr: no
/// case, or several with different values.
[[nodiscard]] const Figure* figure_beside(const StudyCase& row, const FigureName& name,
                                          std::span<const StudyCase> cases);

struct Truth {
  bool holds = false;
  bool close = false;  ///< other values within the intervals would give the opposite
};
/// Truth of a statement for `figures`, given in its order. nullopt: a number in it is not finite.
[[nodiscard]] std::optional<Truth> truth_of(const Statement& statement,
                                            std::span<const Figure* const> figures);

/// A value with its interval, `low <= value <= high`; an infinite end is not known.
struct Interval {
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;

  [[nodiscard]] static Interval exact(double value) { return {value, value, value}; }
};
/// Value of a node that is a number.
[[nodiscard]] Interval interval_of(const Node& node, std::span<const Figure* const> figures);
[[nodiscard]] double value_of(const Node& node, std::span<const Figure* const> figures);

/// Tolerance of `~`: |a - b| <= near_within max(|a|, |b|).
inline constexpr double near_within = 0.05;

/// The compared numbers and the allowed ones: `24.1 ms / 11.9 ms = 2.025 (allowed over 1; interval
/// 1.9 to 2.1)`.
[[nodiscard]] std::string numbers_of(const Statement& statement,
                                     std::span<const Figure* const> figures);

}  // namespace rooflab::study
