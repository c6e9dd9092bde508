// A published figure compared with ours.
//
// Ours is of the first case that the row is about (case_selection.hpp), of the same quantity where
// there is one; what was counted by hardware or estimated by pen is compared with the model's
// count. A published figure agrees with ours within 10 %, which is what counting tools and clocks
// of one kind of machine differ by, or where it lies in the interval of ours. Ours is the measured
// figure where there is one.
//
// When it is wrong: a row that does not state its batch or precision is compared with the first of
// our cases that fit.

#include "published_figure.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "study/case_selection.hpp"

namespace rooflab::study {
namespace {

constexpr double most_of_agreement = 0.10;

/// Which of our quantities is compared with a published one: of what was counted and what was
/// estimated by pen, the model's count.
std::string_view own_quantity(std::string_view published) {
  using Pair = std::pair<std::string_view, std::string_view>;
  constexpr std::array<Pair, 6> pairs = {
      Pair{"counted_flops", "flops"}, {"estimated_flops", "flops"},
      {"dram_bytes", "bytes"},        {"estimated_bytes", "bytes"},
      {"estimated_time", "time"},     {"largest", "predicted_largest"}};
  const auto* const found = std::ranges::find(pairs, published, &Pair::first);
  return found == pairs.end() ? published : found->second;
}

/// The first figure of a case that a published row is about: of the same quantity where there is
/// one, of the very phase where there is one.
OwnFigure own_figure(std::span<const StudyCase> cases, const Attributes& where, bool measured,
                     std::string_view quantity) {
  for (const std::string_view name : {quantity, own_quantity(quantity)}) {
    for (const SamePass pass : {SamePass::exact, SamePass::arithmetic}) {
      if (pass == SamePass::arithmetic && find_quantity(name)->unit() == "B") continue;
      for (const StudyCase& each : cases) {
        const std::string_view mode = each.attribute("mode");
        if (mode == "published" || (mode != "predict" && mode != "summary") != measured) continue;
        const Figure* const figure = each.find(name);
        if (figure != nullptr && agrees(each, where, pass)) return {&each, figure};
      }
    }
  }
  return {};
}

const Explanation* explanation_of(std::span<const Explanation> explanations,
                                  const Explanation::Printed& printed) {
  const auto found = std::ranges::find_if(explanations, [&](const Explanation& each) {
    return std::ranges::find(each.figures, printed) != each.figures.end();
  });
  return found == explanations.end() ? nullptr : &*found;
}

bool is_close(double ratio) { return std::max(ratio, 1.0 / ratio) <= 1.0 + most_of_agreement; }

}  // namespace

const OwnFigure& PublishedFigure::own() const {
  return measured.figure != nullptr ? measured : predicted;
}

std::optional<double> ratio_to(double published, const OwnFigure& own) {
  if (own.figure == nullptr || !(own.figure->value > 0.0) || !(published > 0.0)) {
    return std::nullopt;
  }
  return published / own.figure->value;
}

std::optional<double> PublishedFigure::ratio() const { return ratio_to(value, own()); }

bool PublishedFigure::agrees() const {
  const Figure* const ours = own().figure;
  if (ours == nullptr) return false;
  if (ours->low && ours->high && value >= *ours->low && value <= *ours->high) return true;
  const std::optional<double> known = ratio();
  return known ? is_close(*known) : value == ours->value;
}

std::optional<double> PublishedFigure::error_factor() const {
  const std::optional<double> known = ratio();
  if (!known || agrees()) return std::nullopt;
  return std::max(*known, 1.0 / *known);
}

std::vector<PublishedFigure> published_figures(const Study& study, std::span<const StudyCase> cases,
                                               std::span<const Explanation> explanations) {
  std::vector<PublishedFigure> figures;
  for (std::size_t i = 0; i < study.published.size(); ++i) {
    const PublishedRow& row = study.published[i];
    for (const auto& [name, value] : row.values) {
      figures.push_back(
          {&row, find_quantity(name), value, own_figure(cases, row.where, false, name),
           own_figure(cases, row.where, true, name), explanation_of(explanations, {i, name})});
    }
  }
  return figures;
}

std::optional<double> error_factor_of(const Explanation& explanation, const Study& study,
                                      std::span<const PublishedFigure> figures) {
  std::optional<double> worst;
  for (const PublishedFigure& figure : figures) {
    const auto row = static_cast<std::size_t>(figure.row - study.published.data());
    const Explanation::Printed printed{row, std::string(figure.quantity->name)};
    const std::optional<double> factor = figure.error_factor();
    if (!factor || std::ranges::find(explanation.figures, printed) == explanation.figures.end())
      continue;
    worst = std::max(worst.value_or(1.0), *factor);
  }
  return worst;
}

void sort_worst_first(std::vector<Explanation>& explanations, const Study& study,
                      std::span<const StudyCase> cases) {
  const std::vector<PublishedFigure> figures = published_figures(study, cases, {});
  std::vector<std::pair<double, Explanation>> ranked;
  for (Explanation& each : explanations) {
    const double factor = error_factor_of(each, study, figures).value_or(0.0);
    ranked.emplace_back(factor, std::move(each));
  }
  std::ranges::stable_sort(ranked, std::greater(), &std::pair<double, Explanation>::first);
  explanations.clear();
  for (auto& [factor, each] : ranked) explanations.push_back(std::move(each));
}

}  // namespace rooflab::study
