#include "study_answer.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/format.hpp"
#include "chart/html_dots.hpp"

namespace rooflab::study {
namespace {

constexpr std::size_t most_named = 2;
constexpr std::string_view unexplained = "unexplained";

/// Figures that do not agree for one reason.
struct Disagreement {
  std::string_view why;
  std::size_t count = 0;
  double worst = 1.0;  ///< the largest factor
};

std::vector<Disagreement> disagreements_of(std::span<const PublishedFigure> figures) {
  std::vector<Disagreement> all;
  for (const PublishedFigure& figure : figures) {
    const std::optional<double> factor = figure.error_factor();
    if (!factor) continue;
    const std::string_view why =
        figure.explanation == nullptr ? unexplained : meaning_of(figure.explanation->kind);
    auto found = std::ranges::find(all, why, &Disagreement::why);
    if (found == all.end()) found = all.insert(found, {why});
    ++found->count;
    found->worst = std::max(found->worst, *factor);
  }
  // What has no explanation does not explain anything, so it comes last.
  std::ranges::stable_sort(all, std::greater(), [](const Disagreement& each) {
    return std::pair(each.why != unexplained, each.worst);
  });
  return all;
}

std::string disagreement_text(const Disagreement& each) {
  return format("{} ({}, {}{} off)", each.why, plural(each.count, "figure"),
                each.count == 1 ? "" : "up to ", chart::ratio_text(each.worst));
}

/// Empty without published figures.
std::string published_sentence(std::span<const PublishedFigure> figures) {
  if (figures.empty()) return "";
  const auto compared = static_cast<std::size_t>(std::ranges::count_if(
      figures, [](const PublishedFigure& each) { return each.ratio().has_value(); }));
  const auto agreeing =
      static_cast<std::size_t>(std::ranges::count_if(figures, [](const PublishedFigure& each) {
        return each.ratio().has_value() && each.agrees();
      }));
  const bool is_one = compared == 1;
  if (compared == 0) {
    return format("Nothing of ours can be compared with {}.",
                  figures.size() == 1 ? "the published figure"
                                      : format("the {} published figures", figures.size()));
  }
  std::string sentence =
      is_one
          ? format("The published figure {} with ours", agreeing == 1 ? "agrees" : "does not agree")
      : agreeing == compared ? format("{} published figures agree with ours",
                                      compared == 2 ? "Both" : format("All {}", compared))
                             : format("{} of {} published figures agree with ours",
                                      agreeing == 0 ? "None" : format("{}", agreeing), compared);
  std::vector<std::string> reasons;
  for (const Disagreement& each : disagreements_of(figures))
    reasons.push_back(disagreement_text(each));
  if (!reasons.empty()) {
    const bool one_other = compared - agreeing == 1;
    sentence += format("{}{}: {}",
                       is_one      ? ""
                       : one_other ? "; the other"
                                   : "; the others",
                       reasons.size() > 1 ? ", worst first" : "", join(reasons, ", "));
  }
  return sentence + ".";
}

std::string name_of_hypothesis(const Verdict& verdict) {
  return format("\"{}\"", verdict.text.empty() ? verdict.name : verdict.text);
}

/// `1 is refuted ("ResNet-18 takes longer")`; empty for none. Those that are supported need no
/// names.
std::string verdict_clause(std::span<const Verdict> verdicts, Judgement result) {
  std::vector<std::string> names;
  for (const Verdict& each : verdicts) {
    if (each.result == result) names.push_back(name_of_hypothesis(each));
  }
  if (names.empty()) return "";
  std::string clause =
      format("{} {} {}", names.size(), names.size() == 1 ? "is" : "are", name_of(result));
  if (result == Judgement::supported) return clause;
  const std::size_t more = names.size() - std::min(names.size(), most_named);
  names.resize(names.size() - more);
  return clause + format(" ({}{})", join(names, ", "), more > 0 ? format(", {} more", more) : "");
}

/// Empty without hypotheses.
std::string hypothesis_sentence(std::span<const Verdict> verdicts) {
  if (verdicts.empty()) return "";
  const Judgement first = verdicts.front().result;
  if (verdicts.size() == 1) {
    return format("The hypothesis {} is {}.", name_of_hypothesis(verdicts.front()), name_of(first));
  }
  if (first == Judgement::supported &&
      std::ranges::all_of(verdicts, [&](const Verdict& each) { return each.result == first; })) {
    return format("{} hypotheses are supported.",
                  verdicts.size() == 2 ? "Both" : format("All {}", verdicts.size()));
  }
  std::vector<std::string> clauses;
  for (const Judgement result : {Judgement::refuted, Judgement::undecided, Judgement::supported}) {
    std::string clause = verdict_clause(verdicts, result);
    if (!clause.empty()) clauses.push_back(std::move(clause));
  }
  return format("Of {} hypotheses {}.", verdicts.size(), join(clauses, ", "));
}

}  // namespace

std::vector<std::string> answer_of(std::span<const PublishedFigure> figures,
                                   std::span<const Verdict> verdicts) {
  std::vector<std::string> answer = {published_sentence(figures), hypothesis_sentence(verdicts)};
  std::erase(answer, "");
  return answer;
}

}  // namespace rooflab::study
