#include "cells.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/report/predict_report.hpp"

namespace rooflab::report {
namespace {

using predict::KindShare;
using predict::StepTime;

Cell share_cell(double time_s, double whole_s) {
  return whole_s > 0.0 ? percent_cell(time_s / whole_s) : dash();
}

Cell measured_on(const KindShare& kind) {
  if (kind.device.empty()) return dash();
  return kind.origin.empty() ? Cell(kind.device) : Cell(kind.device + ", " + kind.origin);
}

std::vector<Cell> total_row(std::string what, Cell time, Cell remark) {
  return {std::move(what), Cell("", ""),      std::move(time), Cell("", ""),
          Cell("", ""),    std::move(remark), Cell("", "")};
}

}  // namespace

std::optional<Table> explain_table(const analyze::CaseResult& result) {
  if (!result.prediction) return std::nullopt;
  const StepTime& step = *result.prediction;
  Table table;
  table.title = format("{} on {}, batch {}, {}, {}: {} from measured ops", result.model,
                       result.device.name, result.batch, name_of(result.phase),
                       name_of(result.precision), si(step.time.value, "s"));
  table.columns = {{"kind", "kind of op", Align::left},
                   {"ops", "ops"},
                   {"time_s", "time"},
                   {"share", "share"},
                   {"deviation", "deviation"},
                   {"source", "from", Align::left},
                   {"device", "measured on", Align::left}};
  for (const KindShare& kind : step.kinds) {
    table.rows.push_back({kind.kind, count_cell(static_cast<std::int64_t>(kind.count)),
                          si_cell(kind.time_s, "s"), share_cell(kind.time_s, step.device.value),
                          percent_cell(kind.deviation), std::string(name_of(kind.source)),
                          measured_on(kind)});
  }
  table.totals.push_back(total_row("device: all ops", si_cell(step.device.value, "s"), ""));
  table.totals.push_back(
      result.issued_by.empty()
          ? total_row("host: issuing them", dash(), "left out")
          : total_row("host: issuing them", si_cell(step.host.value, "s"), result.issued_by));
  table.totals.push_back(
      total_row("step", si_cell(step.time.value, "s"),
                format("{} to {}{}", si(step.low.value, "s"), si(step.high.value, "s"),
                       step.host_bound ? ", bound by the host" : "")));
  return table;
}

}  // namespace rooflab::report
