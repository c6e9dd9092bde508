// Which cases a statement is about, and what it says of them.
//
// A word fits a case that has its value: in the attribute of its key, or in any when it has no key;
// upper and lower case are the same. The attributes in which words fit are fixed, all others of the
// case are open. Two cases agree when every attribute that both have, and that is open in both, has
// equal values; a combination is one case a figure, all of which agree in pairs. So a figure that
// fixes the device agrees with one that fixes another, while batch and phase are held equal; and a
// published row that lacks the batch agrees with every batch.
//
// Where a case came from is not a factor of an experiment and is not compared: `group`, `place` and
// `source`, and `machine` but for cases of one device; the source is kept too, as it alone may
// tell two published cases apart. A device goes by two names, `device` from the catalog and `named`
// as the study has it: a word that fits either fixes the device, and only the catalog's is
// compared. A flag without a value is an attribute that is `yes`; its name is its word.

#include "expression.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/format.hpp"
#include "case_selection.hpp"
#include "statement.hpp"

namespace rooflab::study {
namespace {

/// The machine is compared where both cases are of one device, below.
constexpr std::array<std::string_view, 5> never_compared = {"group", "machine", "named", "place",
                                                            "source"};
/// What a case has that does not state it.
constexpr std::pair<std::string_view, std::string_view> implied = {"gpus", "1"};

/// More than a page can show.
constexpr std::size_t most_combinations = 100'000;
/// About a second of comparing.
constexpr std::size_t most_looks = 100'000'000;

bool fits(const CaseWord& word, const Attributes::value_type& attribute) {
  const auto& [key, value] = attribute;
  if (word.key.empty()) return lowercase(word.value) == lowercase(value == "yes" ? key : value);
  const bool is_key = word.key == key || (word.key == "device" && key == "named");
  return is_key && lowercase(word.value) == lowercase(value);
}

/// A case that is of one device, whether it says so or not.
bool is_implied(const CaseWord& word, const StudyCase& study_case) {
  return word.key == implied.first && word.value == implied.second &&
         study_case.attribute(implied.first).empty();
}

bool fits(const CaseWord& word, const StudyCase& study_case) {
  return is_implied(word, study_case) ||
         std::ranges::any_of(study_case.attributes,
                             [&](const auto& attribute) { return fits(word, attribute); });
}

bool fits(const FigureName& figure, const StudyCase& study_case) {
  return std::ranges::all_of(figure.words,
                             [&](const CaseWord& word) { return fits(word, study_case); });
}

/// What a case leaves open, as numbers: equal ones for equal names, in ascending order of keys.
using OpenNumbers = std::vector<std::pair<std::size_t, std::size_t>>;

/// A case that fits a figure's words and has the figure.
struct FittingCase {
  const StudyCase* study_case = nullptr;
  const Figure* figure = nullptr;
  Attributes open;      ///< that no word fixes, without those that are never compared
  std::string source;   ///< that no word fixes: it is not compared, but tells cases apart
  std::string machine;  ///< likewise, but of one device there is one machine in a combination
  OpenNumbers numbers;
};

/// The cases of every figure of a statement.
using FittingCases = std::vector<std::vector<FittingCase>>;

FittingCase fitting_case(const FigureName& name, const StudyCase& study_case,
                         const Figure* figure) {
  FittingCase fitting{&study_case, figure, {}, {}, {}, {}};
  for (const auto& attribute : study_case.attributes) {
    const bool is_fixed = std::ranges::any_of(
        name.words, [&](const CaseWord& word) { return fits(word, attribute); });
    if (is_fixed && attribute.first == "named") fitting.open.erase("device");
    if (!is_fixed && attribute.first == "source") fitting.source = attribute.second;
    if (!is_fixed && attribute.first == "machine") fitting.machine = attribute.second;
    if (!is_fixed && std::ranges::count(never_compared, attribute.first) == 0 &&
        !is_of_measuring(attribute.first)) {
      fitting.open.insert(attribute);
    }
  }
  return fitting;
}

/// Steps that ran on a device are of one kind, however they were measured.
std::string kind_of_mode(const std::string& mode) {
  constexpr std::array measuring = {Mode::measure, Mode::counters, Mode::scale};
  const std::optional<Mode> known = from_name<Mode>(mode);
  const bool measures = known && std::ranges::find(measuring, *known) != measuring.end();
  return measures ? std::string(name_of(Mode::measure)) : lowercase(mode);
}

/// Gives equal numbers to equal texts, so that cases are compared quickly.
class OpenNumbering {
 public:
  /// Numbers what the words of the figure leave open.
  void number(FittingCase& fitting, const FigureName& name) {
    for (const auto& [key, value] : fitting.open) {
      add(fitting, key, key == "mode" ? kind_of_mode(value) : lowercase(value));
    }
    const bool names_it = std::ranges::any_of(
        name.words, [](const CaseWord& word) { return word.key == implied.first; });
    if (!names_it && fitting.study_case->attribute(implied.first).empty()) {
      add(fitting, std::string(implied.first), std::string(implied.second));
    }
    std::ranges::sort(fitting.numbers);
  }

 private:
  void add(FittingCase& fitting, const std::string& key, const std::string& value) {
    fitting.numbers.emplace_back(number_of(key), number_of(value));
  }
  std::size_t number_of(const std::string& text) {
    return numbers_.try_emplace(text, numbers_.size()).first->second;
  }

  std::map<std::string, std::size_t> numbers_;
};

FittingCases fitting_cases(const Statement& statement, std::span<const StudyCase> cases) {
  OpenNumbering numbering;
  FittingCases all;
  for (const FigureName& name : statement.figures) {
    std::vector<FittingCase>& fitting = all.emplace_back();
    for (const StudyCase& each : cases) {
      const Figure* const figure = each.find(name.quantity->name);
      if (figure == nullptr || !std::isfinite(figure->value) || !fits(name, each)) continue;
      numbering.number(fitting.emplace_back(fitting_case(name, each, figure)), name);
    }
  }
  return all;
}

/// Groups may measure for different times; in one group that is what a case is about.
bool is_measured_otherwise(const FittingCase& one, const FittingCase& other) {
  if (one.study_case->attribute("group") != other.study_case->attribute("group")) return false;
  return std::ranges::any_of(one.study_case->attributes, [&](const auto& attribute) {
    return is_of_measuring(attribute.first) &&
           other.study_case->attribute(attribute.first) != attribute.second;
  });
}

/// A device of another machine is another device.
bool is_other_machine(const FittingCase& one, const FittingCase& other) {
  return !one.machine.empty() && !other.machine.empty() && one.machine != other.machine &&
         one.study_case->attribute("device") == other.study_case->attribute("device");
}

bool agree(const FittingCase& one, const FittingCase& other) {
  if (is_other_machine(one, other) || is_measured_otherwise(one, other)) return false;
  auto left = one.numbers.begin();
  auto right = other.numbers.begin();
  while (left != one.numbers.end() && right != other.numbers.end()) {
    if (left->first < right->first) {
      ++left;
    } else if (right->first < left->first) {
      ++right;
    } else if ((left++)->second != (right++)->second) {
      return false;
    }
  }
  return true;
}

/// One case a figure, in the order of the figures.
using Combination = std::vector<const FittingCase*>;

/// All combinations of which any two cases have equal values in what both leave open. The first
/// figure's cases change last. Throws Error (input) at `place` when there are too many to look at.
std::vector<Combination> join_cases(const FittingCases& fitting, const Location& place) {
  std::vector<Combination> combinations;
  // The choice of a case for the first figures, of which the last is being looked at.
  std::vector<std::size_t> choice = {0};
  Combination chosen;
  std::size_t looks = 0;
  while (!choice.empty()) {
    const std::vector<FittingCase>& candidates = fitting[choice.size() - 1];
    if (choice.back() == candidates.size()) {
      choice.pop_back();
      if (!choice.empty()) ++choice.back();
      if (!chosen.empty()) chosen.pop_back();
      continue;
    }
    const FittingCase& candidate = candidates[choice.back()];
    looks += chosen.size();
    const bool agrees = std::ranges::all_of(
        chosen, [&](const FittingCase* before) { return agree(*before, candidate); });
    if (agrees && choice.size() < fitting.size()) {
      chosen.push_back(&candidate);
      choice.push_back(0);
      continue;
    }
    if (agrees) combinations.emplace_back(chosen).push_back(&candidate);
    if (combinations.size() > most_combinations || looks > most_looks) {
      throw Error(ErrorKind::input,
                  format("the check can be made in more than {} ways",
                         with_thousands(static_cast<std::int64_t>(most_combinations))),
                  "more words in the brackets leave fewer cases", place);
    }
    ++choice.back();
  }
  return combinations;
}

/// `mode: measure versus predict`, one for each attribute in which the cases disagree.
std::vector<std::string> differences(const Attributes& a, const Attributes& b) {
  std::vector<std::string> found;
  for (const auto& [key, value] : a) {
    const auto other = b.find(key);
    if (other == b.end() || lowercase(other->second) == lowercase(value)) continue;
    found.push_back(format("{}: {} versus {}", key, value, other->second));
  }
  return found;
}

/// The fewest of any two among the first cases; what is far down a long list is not looked at.
std::vector<std::string> least_differences(std::span<const FittingCase> these,
                                           std::span<const FittingCase> others) {
  constexpr std::size_t most = 300;
  std::vector<std::string> least;
  for (const FittingCase& one : these.first(std::min(these.size(), most))) {
    for (const FittingCase& other : others.first(std::min(others.size(), most))) {
      std::vector<std::string> found = differences(one.open, other.open);
      if (least.empty() || found.size() < least.size()) least = std::move(found);
    }
  }
  return least;
}

/// Where the cases of two figures agree nowhere, the attributes that keep the nearest two apart.
/// Empty: any two figures have cases that agree.
std::string disagreement_of(const FittingCases& fitting) {
  for (std::size_t i = 0; i < fitting.size(); ++i) {
    for (std::size_t j = i + 1; j < fitting.size(); ++j) {
      const bool any = std::ranges::any_of(fitting[i], [&](const FittingCase& one) {
        return std::ranges::any_of(fitting[j],
                                   [&](const FittingCase& other) { return agree(one, other); });
      });
      if (!any) return join(least_differences(fitting[i], fitting[j]), "; ");
    }
  }
  return "";
}

/// What a word that no case fits may have meant.
std::string why_unfit(const CaseWord& word, std::span<const StudyCase> cases) {
  std::vector<std::string> values;
  for (const StudyCase& each : cases) {
    for (const auto& [key, value] : each.attributes) {
      if (word.key.empty() || word.key == key) values.push_back(value);
    }
  }
  if (!word.key.empty() && values.empty()) return format("no case has the attribute {}", word.key);
  const std::optional<std::string> near = nearest(word.value, values);
  return format("no case fits {}{}", word.text(), near ? format("; {} is near", *near) : "");
}

/// Why no case gives a figure.
std::string why_missing(const FigureName& figure, std::span<const StudyCase> cases) {
  if (cases.empty()) return "it has no cases";
  for (const StudyCase& each : cases) {
    if (!fits(figure, each)) continue;
    return each.reason.empty() ? format("{} has none", each.id) : each.reason;
  }
  for (const CaseWord& word : figure.words) {
    const bool fits_one =
        std::ranges::any_of(cases, [&](const StudyCase& each) { return fits(word, each); });
    if (!fits_one) return why_unfit(word, cases);
  }
  return "no case fits all these words at once";
}

std::vector<const Figure*> figures_in(const Combination& combination) {
  std::vector<const Figure*> figures;
  for (const FittingCase* each : combination) figures.push_back(each->figure);
  return figures;
}

bool divides_by_zero(const Node& node, std::span<const Figure* const> figures) {
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    const bool is_divisor = i > 0 && node.operators[i - 1] == "/";
    if (is_divisor && value_of(node.operands[i], figures) == 0.0) return true;
    if (divides_by_zero(node.operands[i], figures)) return true;
  }
  return false;
}

/// The sources, or machines, that no word fixes; of several cases all that differ.
std::string origins_of(const Combination& combination, std::string FittingCase::*origin) {
  std::vector<std::string> origins;
  for (const FittingCase* each : combination) {
    const std::string& own = each->*origin;
    if (!own.empty() && std::ranges::find(origins, own) == origins.end()) origins.push_back(own);
  }
  return join(origins, " and ");
}

}  // namespace

const Figure* figure_beside(const StudyCase& row, const FigureName& name,
                            std::span<const StudyCase> cases) {
  if (name.words.empty()) return row.find(name.quantity->name);
  OpenNumbering numbering;
  const FigureName own{name.quantity, {}};
  FittingCase fitting_row = fitting_case(own, row, nullptr);
  numbering.number(fitting_row, own);
  const Figure* found = nullptr;
  for (const StudyCase& each : cases) {
    const Figure* const figure = each.find(name.quantity->name);
    if (figure == nullptr || !fits(name, each)) continue;
    FittingCase other = fitting_case(name, each, figure);
    numbering.number(other, name);
    if (!agree(fitting_row, other)) continue;
    if (found != nullptr && found->value != figure->value) return nullptr;
    found = figure;
  }
  return found;
}

Expression::Expression(std::shared_ptr<const Statement> statement)
    : statement_(std::move(statement)) {}

Expression Expression::parse(std::string_view text, const Location& place) {
  return Expression(std::make_shared<const Statement>(read_statement(text, place)));
}

std::vector<Expression::Instance> Expression::evaluate(std::span<const StudyCase> cases) const {
  const auto fitting = fitting_cases(*statement_, cases);
  std::vector<Instance> instances;
  for (const Combination& combination : join_cases(fitting, statement_->place)) {
    const std::vector<const Figure*> figures = figures_in(combination);
    const std::optional<Truth> truth = truth_of(*statement_, figures);
    if (!truth) continue;
    Instance& instance = instances.emplace_back();
    instance.holds = truth->holds;
    instance.close = truth->close;
    instance.numbers = numbers_of(*statement_, figures);
    for (const FittingCase* each : combination) {
      instance.where.insert(each->open.begin(), each->open.end());
      instance.cases.push_back(each->study_case->id);
    }
    const auto add_origin = [&](const char* key, std::string FittingCase::*origin) {
      std::string origins = origins_of(combination, origin);
      if (!origins.empty()) instance.where[key] = std::move(origins);
    };
    add_origin("source", &FittingCase::source);
    add_origin("machine", &FittingCase::machine);
  }
  return instances;
}

std::vector<Expression::Missing> Expression::missing(std::span<const StudyCase> cases) const {
  const FittingCases fitting = fitting_cases(*statement_, cases);
  std::vector<Missing> missing;
  for (std::size_t i = 0; i < fitting.size(); ++i) {
    const FigureName& figure = statement_->figures[i];
    if (fitting[i].empty()) missing.push_back({figure.text(), why_missing(figure, cases)});
  }
  return missing;
}

std::set<std::string> Expression::quantities() const {
  std::set<std::string> names;
  for (const FigureName& figure : statement_->figures) names.emplace(figure.quantity->name);
  return names;
}

std::string Expression::obstacle(std::span<const StudyCase> cases) const {
  const auto fitting = fitting_cases(*statement_, cases);
  const std::vector<Combination> combinations = join_cases(fitting, statement_->place);
  if (combinations.empty()) {
    const std::string apart = disagreement_of(fitting);
    return format("no cases that agree in what the check leaves open give all its figures{}",
                  apart.empty() ? "" : format(" ({})", apart));
  }
  const auto divides = [this](const Combination& each) {
    return divides_by_zero(statement_->root, figures_in(each));
  };
  const std::size_t all = combinations.size();
  return format(
      "{} in {}",
      std::ranges::all_of(combinations, divides) ? "the divisor is 0" : "a number is not finite",
      all == 1 ? "the only case" : format("all {} cases", all));
}

}  // namespace rooflab::study
