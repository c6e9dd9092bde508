#include <utility>

#include "page_parts.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/report/html_page.hpp"
#include "rooflab/report/predict_report.hpp"

namespace rooflab::report {

using analyze::CaseResult;

std::string case_title(const CaseResult& result) {
  return format("{} on {}, batch {}", result.model, result.device.name, result.batch);
}

PageCard card_of(const CaseResult& result) {
  PageCard card;
  card.title = case_title(result);
  card.value = result.limit.time ? si(result.limit.time->value, "s") : "no limit";
  const std::string memory = si(result.memory.total.as_double(), "B");
  if (!result.fit) {
    card.remark = format("memory {}", memory);
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
  return card;
}

Page predict_page(std::span<const CaseResult> cases, std::string command) {
  Page page;
  page.title = "Rooflab: limits, memory and rooflines";
  page.subtitle =
      "How fast each network could run: every op at the device's roofline, summed. Bounds, not"
      " predictions.";
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
  page.sections = {std::move(comparison), roofline_section(cases, {}, {}), std::move(layers)};
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
