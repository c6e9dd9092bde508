// The published figures of a study on one axis: each over ours of the same case. Rows are grouped
// by network, or by source where rows name none, in the order of the study; a row's label has what
// tells it apart, and the quantity. The colour is the kind of explanation that explains the row;
// what agrees is grey.

#include <algorithm>

#include "base/format.hpp"
#include "case_selection.hpp"
#include "chart/html_dots.hpp"
#include "page_tables.hpp"

namespace rooflab::study {
namespace {

constexpr std::string_view agreeing = "agrees";

/// The rows' attributes as cases, which labels are made of.
std::vector<StudyCase> rows_as_cases(std::span<const PublishedFigure> figures) {
  std::vector<StudyCase> rows;
  for (const PublishedFigure& figure : figures) {
    StudyCase& row = rows.emplace_back();
    row.attributes = figure.row->where;
    row.attributes["source"] = figure.row->source;
  }
  return rows;
}

/// What is on the axis of one figure.
void place(chart::Dot& dot, const PublishedFigure& figure) {
  dot.predicted = ratio_to(figure.value, figure.predicted);
  dot.measured = ratio_to(figure.value, figure.measured);
  const Figure* const ours = figure.predicted.figure;
  if (dot.predicted && ours->low && ours->high && *ours->low > 0.0) {
    dot.low = figure.value / *ours->high;
    dot.high = figure.value / *ours->low;
  }
}

}  // namespace

std::string kind_text(Explanation::Kind kind) { return join(split(name_of(kind), '_'), " "); }

std::string reading_of(const PublishedFigure& figure) {
  if (!figure.ratio()) return "";
  if (figure.agrees()) return std::string(agreeing);
  return figure.explanation == nullptr ? "unexplained" : kind_text(figure.explanation->kind);
}

std::vector<chart::Dot> published_dots(std::span<const PublishedFigure> figures) {
  const std::vector<StudyCase> rows = rows_as_cases(figures);
  std::vector<const StudyCase*> all;
  for (const StudyCase& each : rows) all.push_back(&each);
  std::vector<std::string> keys = telling_attributes(all);
  std::erase(keys, "model");
  std::vector<chart::Dot> dots;
  for (std::size_t i = 0; i < figures.size(); ++i) {
    const PublishedFigure& figure = figures[i];
    const std::optional<double> ratio = figure.ratio();
    if (!ratio) continue;
    const std::string_view model = value_in(figure.row->where, "model");
    const std::string label = label_of(rows[i], keys);
    chart::Dot& dot = dots.emplace_back();
    dot.group = model.empty() ? figure.row->source : std::string(model);
    dot.label = label.empty() ? std::string(figure.quantity->title)
                              : format("{}: {}", label, figure.quantity->title);
    dot.value = chart::ratio_text(*ratio);
    dot.remark = reading_of(figure);
    dot.kind = figure.agrees() || figure.explanation == nullptr
                   ? dot.remark
                   : format("{}: {}", dot.remark, meaning_of(figure.explanation->kind));
    dot.is_quiet = figure.agrees();
    place(dot, figure);
  }
  return dots;
}

}  // namespace rooflab::study
