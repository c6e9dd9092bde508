#include "rooflab/study/expression.hpp"

#include <algorithm>
#include <utility>

#include "figure_join.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "statement.hpp"

namespace rooflab::study {
namespace {

/// The cases that fit a figure and have it.
std::vector<FittingCase> cases_with(const FigureName& figure, std::span<const StudyCase> cases) {
  std::vector<FittingCase> fitting;
  for (const StudyCase& each : cases) {
    if (figure_in(each, figure) == nullptr) continue;
    if (std::optional<FittingCase> fits = fit(figure, each)) fitting.push_back(std::move(*fits));
  }
  return fitting;
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
    if (!fit(figure, each)) continue;
    return each.reason.empty() ? format("{} has none", each.id) : each.reason;
  }
  for (const CaseWord& word : figure.words) {
    const bool fits_one =
        std::ranges::any_of(cases, [&](const StudyCase& each) { return fits(word, each); });
    if (!fits_one) return why_unfit(word, cases);
  }
  return "no case fits all these words at once";
}

std::vector<std::vector<FittingCase>> fitting_cases(const Statement& statement,
                                                    std::span<const StudyCase> cases) {
  std::vector<std::vector<FittingCase>> fitting;
  for (const FigureName& figure : statement.figures) fitting.push_back(cases_with(figure, cases));
  return fitting;
}

std::vector<const Figure*> figures_in(const Combination& combination, const Statement& statement) {
  std::vector<const Figure*> figures;
  for (std::size_t i = 0; i < combination.size(); ++i) {
    figures.push_back(figure_in(*combination[i]->study_case, statement.figures[i]));
  }
  return figures;
}

bool divides_by_zero(const Node& node, std::span<const Figure* const> figures) {
  for (std::size_t i = 0; i < node.operands.size(); ++i) {
    const bool is_divisor = node.kind == Node::Kind::product && i > 0 && node.signs[i - 1] == '/';
    if (is_divisor && value_of(node.operands[i], figures) == 0.0) return true;
    if (divides_by_zero(node.operands[i], figures)) return true;
  }
  return false;
}

/// The sources that no word fixes; of several cases all that differ.
std::string sources_of(const Combination& combination) {
  std::vector<std::string> sources;
  for (const FittingCase* each : combination) {
    if (each->source.empty()) continue;
    if (std::ranges::find(sources, each->source) == sources.end()) sources.push_back(each->source);
  }
  return join(sources, " beside ");
}

}  // namespace

Expression::Expression(std::shared_ptr<const Statement> statement)
    : statement_(std::move(statement)) {}

Expression Expression::parse(std::string_view text, const Location& place) {
  return Expression(std::make_shared<const Statement>(read_statement(text, place)));
}

std::vector<Expression::Instance> Expression::evaluate(std::span<const StudyCase> cases) const {
  const auto fitting = fitting_cases(*statement_, cases);
  std::vector<Instance> instances;
  for (const Combination& combination : join_cases(fitting, statement_->place)) {
    const std::vector<const Figure*> figures = figures_in(combination, *statement_);
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
    const std::string sources = sources_of(combination);
    if (!sources.empty()) instance.where["source"] = sources;
  }
  return instances;
}

std::vector<Expression::Missing> Expression::missing(std::span<const StudyCase> cases) const {
  std::vector<Missing> missing;
  for (const FigureName& figure : statement_->figures) {
    if (!cases_with(figure, cases).empty()) continue;
    missing.push_back({figure.text(), why_missing(figure, cases)});
  }
  return missing;
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
    return divides_by_zero(statement_->root, figures_in(each, *statement_));
  };
  const std::size_t all = combinations.size();
  return format(
      "{} in {}",
      std::ranges::all_of(combinations, divides) ? "the divisor is 0" : "a number is not finite",
      all == 1 ? "the only case" : format("all {} cases", all));
}

}  // namespace rooflab::study
