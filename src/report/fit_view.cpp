#include <algorithm>

#include "base/format.hpp"
#include "describe/schema.hpp"
#include "model_names.hpp"
#include "page/joined_row.hpp"
#include "page/row_table.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using analyze::FitPoint;
using analyze::FitResult;
using analyze::FitTry;
using Counts = std::vector<std::int64_t>;

/// `512`; `conv 61, fc 62`. In CSV `conv=61 fc=62`.
page::Cell counts_cell(const FitResult& result, const Counts& counts, bool end_of_range = false) {
  if (counts.empty()) return page::dash();
  std::vector<std::string> shown;
  std::vector<std::string> raw;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const bool alone = counts.size() == 1;
    shown.push_back(alone ? format("{}", counts[i]) : format("{} {}", result.names[i], counts[i]));
    raw.push_back(alone ? shown.back() : format("{}={}", result.names[i], counts[i]));
  }
  return {join(shown, ", ") + (end_of_range ? "+" : ""), join(raw, " ")};
}

/// Whether the point is one of a table of several, as `context at batch 4` is.
bool is_of_a_series(const FitPoint& point) {
  return point.varied.find(" at ") != std::string::npos;
}

page::Table boundary_table(const FitResult& result) {
  const bool any = std::ranges::any_of(result.points, &FitPoint::searched);
  const page::Shown searched = any ? page::Shown::always : page::Shown::csv;
  page::Table table = page::table_of<FitPoint>(
      result.points,
      page::shown_as(searched, {"found", "count_ratio", "median_s"},
                     page::columns_of(
                         "varied", "fits", "likely", "expected", "largest",
                         page::inside("memory", page::titled("allocated_peak_bytes", "allocated")),
                         page::inside("memory", "total_bytes"), page::if_known("predicted_s"),
                         page::if_known("limit_s"), "found", "count_ratio", "median_s",
                         page::if_known("samples_per_s"))));
  table.title =
      format("{} on {} ({}), {}, {}", result.model, result.device,
             si(result.memory.as_double(), "B"), name_of(result.phase), name_of(result.precision));
  for (std::size_t i = 0; i < result.points.size(); ++i) {
    const FitPoint& point = result.points[i];
    page::cell_at(table, i, "fits") = counts_cell(result, point.comfortable);
    page::cell_at(table, i, "expected") = counts_cell(result, point.expected);
    page::cell_at(table, i, "likely") = counts_cell(result, point.likely);
    page::cell_at(table, i, "largest") = counts_cell(result, point.counts, point.end_of_range);
    page::cell_at(table, i, "found") = counts_cell(result, point.found, point.found_end_of_range);
  }
  for (std::size_t i = 1; i < table.columns.size(); ++i)
    table.columns[i].align = page::Align::right;
  return table;
}

constexpr auto memory_columns = page::columns_of(
    page::titled("least_total_bytes", "at least"), "parameter_bytes", "gradient_bytes",
    "optimizer_bytes", "input_bytes", page::if_known("cache_bytes"), "saved_activation_bytes",
    page::titled("peak_activation_bytes", "activations"), "workspace_bytes",
    page::titled("allocated_peak_bytes", "allocated"),
    page::titled("reserved_peak_bytes", "reserved"), "context_bytes",
    page::if_known("communication_buffer_bytes"), "total_bytes");

/// A table of memory by its parts, and in front of each row the cells that say whose it is.
page::Table parts_table(
    const std::vector<std::pair<std::vector<page::Cell>, predict::MemoryEstimate>>& rows,
    const std::vector<page::Column>& front) {
  std::vector<page::JoinedRow> memory(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) memory[i].of(rows[i].second);
  page::Table table = page::table_of(memory, memory_columns);
  table.columns.insert(table.columns.begin(), front.begin(), front.end());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<page::Cell>& row = table.rows[i];
    row.insert(row.begin(), rows[i].first.begin(), rows[i].first.end());
  }
  return table;
}

/// The verdict of `predict` at the largest counts.
predict::Verdict verdict_at_largest(const FitPoint& point) {
  if (point.counts == point.comfortable) return predict::Verdict::fits;
  return point.counts == point.likely ? predict::Verdict::likely : predict::Verdict::risky;
}

/// What fills the memory at the last counts that may run, and at the first that cannot.
page::Table memory_table(const FitResult& result) {
  std::vector<std::pair<std::vector<page::Cell>, predict::MemoryEstimate>> rows;
  for (const FitPoint& point : result.points) {
    if (!point.memory || is_of_a_series(point)) continue;
    rows.push_back({{point.varied, counts_cell(result, point.counts),
                     std::string(name_of(verdict_at_largest(point)))},
                    *point.memory});
    if (!point.beyond_memory) continue;
    rows.push_back({{point.varied, counts_cell(result, point.beyond),
                     std::string(name_of(predict::Verdict::oom))},
                    *point.beyond_memory});
  }
  page::Table table = parts_table(rows, {{"varied", "varied", page::Align::left},
                                         {"counts", "counts"},
                                         {"runs", "verdict", page::Align::left}});
  table.title = "Memory on both sides of the predicted boundary";
  return table;
}

page::Table circumstance_table(const FitResult& result) {
  std::vector<std::pair<std::vector<page::Cell>, predict::MemoryEstimate>> rows;
  for (const analyze::FitCircumstance& each : result.circumstances) {
    rows.push_back({{each.circumstance, counts_cell(result, each.expected),
                     counts_cell(result, each.counts, each.end_of_range)},
                    each.memory.value_or(predict::MemoryEstimate{})});
  }
  page::Table table = parts_table(rows, {{"circumstance", "circumstance", page::Align::left},
                                         {"expected", "expected"},
                                         {"largest", "largest"}});
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (result.circumstances[i].memory) continue;
    for (std::size_t k = 3; k < table.rows[i].size(); ++k) table.rows[i][k] = page::dash();
  }
  table.title = "The largest in other circumstances";
  return table;
}

page::Table tries_table(const FitResult& result) {
  page::Table table = page::table_of<FitTry>(
      result.tries, page::columns_of("counts", "status", page::titled("median_s", "step"),
                                     page::titled("allocated_peak_bytes", "allocated"),
                                     page::titled("reserved_peak_bytes", "reserved")));
  table.title = "Tries on the device";
  table.columns.front().align = page::Align::right;
  for (std::size_t i = 0; i < result.tries.size(); ++i) {
    page::cell_at(table, i, "counts") = counts_cell(result, result.tries[i].counts);
  }
  return table;
}

std::string count_text(const FitResult& result, const Counts& counts) {
  return counts.size() == 1 ? format("{} {}", result.names.front(), counts.front())
                            : counts_cell(result, counts).text;
}

/// `1.2 GB for workspace and context`: the most that is assumed.
std::string assumed_text(const FitPoint& point) {
  Bytes most;
  std::vector<std::string> parts;
  for (const predict::AssumedMemory& each : point.assumed) {
    most += each.most;
    parts.push_back(each.part);
  }
  return format("{} for {}", si(most.as_double(), "B"), join(parts, " and "));
}

/// The counts to use, and what lies between them and the end of the memory.
std::string answer_of(const FitResult& result, const FitPoint& point) {
  if (point.counts.empty()) {
    return format("No count fits: even the least does not run in {}.",
                  si(result.memory.as_double(), "B"));
  }
  std::vector<std::string> parts;
  // Where the boundary is ragged: what was found beyond it, too.
  const auto again = [&](const Counts& further) {
    return further.empty() ? "" : format(" (and some up to {})", count_text(result, further));
  };
  if (!point.comfortable.empty()) {
    parts.push_back(format("{} fits", count_text(result, point.comfortable)));
    if (!point.assumed.empty()) parts.back() += format(", even with {}", assumed_text(point));
    parts.back() += again(point.fits_further);
    if (point.comfortable_end_of_range) {
      return format("{}. The range that was asked for ends there.", parts.back());
    }
  }
  if (!point.likely.empty() && point.likely != point.comfortable) {
    parts.push_back(format("{} is likely to fit", count_text(result, point.likely)));
    parts.back() += again(point.likely_further);
  }
  if (!point.expected.empty() && point.expected != point.counts) {
    parts.push_back(format("{} is expected to run", count_text(result, point.expected)));
    parts.back() += again(point.expected_further);
  }
  parts.push_back(format("{} is the largest that may run", count_text(result, point.counts)));
  return format("{}.", join(parts, "; "));
}

}  // namespace

page::Document fit_view(const FitResult& result) {
  page::Document document;
  document.title = format("What fits of {} on {}: {}, {}", result.model, result.device,
                          name_of(result.phase), name_of(result.precision));
  document.command = result.command;
  if (!result.uncounted.empty()) {
    std::vector<std::string> ops;
    for (const analyze::UncountedOp& op : result.uncounted) ops.push_back(op.op);
    document.introduction.push_back(
        format("What fits is not known: {} is not counted, and its memory may be large.",
               join(ops, ", ")));
  }
  for (const FitPoint& point : result.points) {
    if (is_of_a_series(point)) continue;  // the table has them
    document.introduction.push_back(answer_of(result, point));
  }
  document.tables.push_back(boundary_table(result));
  page::add_filled(document.tables, memory_table(result));
  if (result.circumstances.size() > 1)
    page::add_filled(document.tables, circumstance_table(result));
  page::add_filled(document.tables, tries_table(result));
  document.notes.push_back(page::explains(
      "fits: 10 % of the memory stays free in the worst case; likely: in the expected case;"
      " expected: the largest that is expected to run, with slower convolutions where workspaces"
      " find no room; largest: beyond it not even the tensors that are alive at once have room."));
  if (result.circumstances.size() > 1) {
    document.notes.push_back(page::explains(
        "results kept: a loop holds a step's results, and what autograd keeps for them, until the"
        " next step's replace them (out = model(x)); inference, forward, training, fp64: the same"
        " counts in that phase or precision."));
  }
  if (std::ranges::any_of(result.points, &FitPoint::end_of_range)) {
    document.notes.push_back(page::explains("+: the range asked for ends there, more would fit."));
  }
  if (!result.tries.empty()) {
    document.notes.push_back(page::explains(
        "found: the last that ran on the device, each try in a separate process; near the edge a"
        " step may be slow, because the allocator frees and asks again. ratio: predicted over found"
        " counts."));
  }
  std::ranges::move(page::remarks_of(result.notes), std::back_inserter(document.notes));
  document.json = command_json("fit", to_json(result));
  name_models_by_stem(document, {result.model});
  return document;
}

}  // namespace rooflab::report
