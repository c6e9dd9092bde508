#include <algorithm>
#include <utility>

#include "page_parts.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/report/html_page.hpp"
#include "rooflab/report/predict_report.hpp"

namespace rooflab::report {

using analyze::CaseResult;

namespace {

/// A card's figure is the predicted time where there is one: then the limit is in the remark.
void add_limit(const CaseResult& result, PageCard& card) {
  if (!result.predicted_time()) return;
  card.remark =
      format("predicted; limit {}; {}",
             result.limit.time ? si(result.limit.time->value, "s") : "unknown", card.remark);
}

/// The device's time by kind of op, the longest few, and what it waits for the host.
PageBar kind_bar(const CaseResult& result) {
  constexpr std::size_t most_parts = 7;
  const predict::StepTime& step = *result.prediction;
  PageBar bar{.label = case_title(result), .text = si(step.time.value, "s")};
  double rest_s = 0.0;
  for (std::size_t i = 0; i < step.kinds.size(); ++i) {
    const predict::KindShare& kind = step.kinds[i];
    if (i < most_parts) {
      bar.parts.push_back({kind.kind, kind.time_s, si(kind.time_s, "s")});
    } else {
      rest_s += kind.time_s;
    }
  }
  if (rest_s > 0.0) bar.parts.push_back({"other kinds", rest_s, si(rest_s, "s")});
  const double waiting_s = step.time.value - step.device.value;
  if (waiting_s > 1e-9 * step.time.value) {
    bar.parts.push_back({"waiting for the host", waiting_s, si(waiting_s, "s")});
  }
  return bar;
}

}  // namespace

PageSection prediction_section(std::span<const CaseResult> cases) {
  PageSection section{.heading = "Where the predicted time goes", .bar_scale = BarScale::absolute};
  for (const CaseResult& result : cases) {
    std::optional<Table> table = explain_table(result);
    if (!table) continue;
    section.bars.push_back(kind_bar(result));
    section.details.push_back(
        {case_title(result), *std::move(table), result.prediction->notes, result.command});
  }
  return section;
}

std::string case_title(const CaseResult& result) {
  return format("{} on {}, batch {}", result.model, result.device.name, result.batch);
}

PageCard card_of(const CaseResult& result) {
  PageCard card;
  card.title = case_title(result);
  const std::optional<Seconds> predicted = result.predicted_time();
  const std::string limit =
      result.limit.time ? si(result.limit.time->value, "s") : std::string("no limit");
  card.value = predicted ? si(predicted->value, "s") : limit;
  const std::string memory = si(result.memory.total.as_double(), "B");
  if (!result.fit) {
    card.remark = format("memory {}", memory);
    add_limit(result, card);
    return card;
  }
  const std::string room = si(result.device.memory->value, "B");
  switch (result.fit->verdict) {
    case predict::Verdict::fits:
      card.tone = "good";
      card.remark = format("fits: {} of {}", memory, room);
      break;
    case predict::Verdict::tight:
      card.remark =
          format("tight: {} of {} known, {:.0f} % free", memory, room, result.fit->margin * 100.0);
      break;
    case predict::Verdict::oom:
      card.tone = "bad";
      card.remark = format("oom: needs {}, has {}", memory, room);
      break;
  }
  add_limit(result, card);
  return card;
}

Page predict_page(std::span<const CaseResult> cases, std::string command) {
  Page page;
  const bool predicted = std::ranges::any_of(
      cases, [](const CaseResult& result) { return result.predicted_time().has_value(); });
  page.title = predicted ? "Rooflab: limits, predictions, memory and rooflines"
                         : "Rooflab: limits, memory and rooflines";
  page.subtitle =
      predicted ? "How fast each network could run, every op at the device's roofline, and how fast"
                  " it is expected to."
                : "How fast each network could run: every op at the device's roofline, summed."
                  " Bounds, not predictions.";
  page.command = std::move(command);
  Document document = predict_report(cases);
  PageSection comparison{.heading = "Comparison", .notes = std::move(document.notes)};
  comparison.tables.push_back(std::move(document.tables.front()));
  PageSection layers{.heading = "Layers"};
  for (const CaseResult& result : cases) {
    page.cards.push_back(card_of(result));
    layers.details.push_back(
        {case_title(result), layer_limit_table(result), result.notes, result.command});
  }
  page.sections.push_back(std::move(comparison));
  PageSection prediction = prediction_section(cases);
  if (!prediction.bars.empty()) page.sections.push_back(std::move(prediction));
  page.sections.push_back(roofline_section(cases, {}, {}));
  page.sections.push_back(std::move(layers));
  return page;
}

Page chart_page(chart::Chart chart, std::string command) {
  Page page;
  page.title = chart.title;
  page.command = std::move(command);
  page.sections.push_back({.charts = {{"", std::move(chart)}}});
  return page;
}

}  // namespace rooflab::report
