#include "rewrite_section.hpp"

#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "page/joined_row.hpp"

namespace rooflab::report {
namespace {

using analyze::CaseResult;
using analyze::RewriteFigures;

struct Rewritten {
  const CaseResult* result = nullptr;
  RewriteFigures after;
};

/// Each rewritten network next to the same one as it is; empty without a rewrite.
page::Table rewrite_table(std::span<const Rewritten> cases) {
  std::vector<page::JoinedRow> rows;
  for (const auto& [result, after] : cases) {
    rows.emplace_back().own("rewrite", "as it is").of(result->before_rewrite).of(*result);
    rows.emplace_back().own("rewrite", result->rewrite).of(after).of(*result);
  }
  page::Table table = page::table_of(
      rows, page::columns_of("model", "device", "batch", "phase", "precision", "rewrite", "limit_s",
                             page::if_known("predicted_s"), "flop", "compulsory_bytes",
                             "saved_activation_bytes", "total_bytes"));
  page::move_constants_to_title(table);
  table.title = table.title.empty() ? "Rewrite" : format("Rewrite: {}", table.title);
  return table;
}

/// A figure with a rewrite and without it.
struct Change {
  std::string_view what;
  std::string_view unit;
  double after = 0.0;
  double before = 0.0;
};

/// `2.3 % less memory (1 GB)`, `as much memory (1 GB)`; `instead`: `1 GB instead of 1.1 GB`, with
/// these words behind.
std::string text_of(const Change& figure, const std::optional<std::string_view>& instead = {}) {
  const double change = figure.before > 0.0 ? figure.after / figure.before - 1.0 : 0.0;
  std::string much = "as much";
  if (std::abs(change) >= 0.0005) {
    much = format("{:.1f} % {}", 100.0 * std::abs(change), change < 0.0 ? "less" : "more");
  }
  std::string values = si(figure.after, figure.unit, 4);
  if (instead) values += format(" instead of {}{}", si(figure.before, figure.unit, 4), *instead);
  return format("{} {} ({})", much, figure.what, values);
}

/// What a rewrite saves of the time and of the memory.
std::string rewrite_sentence(const CaseResult& result, const RewriteFigures& after) {
  const RewriteFigures& before = *result.before_rewrite;
  const bool expected = after.predicted && before.predicted;
  const std::optional<Seconds>& after_s = expected ? after.predicted : after.limit;
  const std::optional<Seconds>& before_s = expected ? before.predicted : before.limit;
  std::string time;
  if (after_s && before_s) {
    time = text_of({"time", "s", after_s->value, before_s->value}, expected ? "" : ", the limit");
    time += ", ";
  }
  std::string saved;
  if (before.saved_activations > Bytes(0)) {
    saved =
        " and keeps " + text_of({"for the backward pass", "B", after.saved_activations.as_double(),
                                 before.saved_activations.as_double()});
  }
  const Change memory{"memory", "B", after.memory.as_double(), before.memory.as_double()};
  return format("{} on {}: with {} a step takes {}{}{}.", result.model, result.device.id,
                result.rewrite, time, text_of(memory), saved);
}

}  // namespace

void add_rewrites(page::PageSection& section, std::span<const CaseResult> cases) {
  std::vector<Rewritten> rewritten;
  for (const CaseResult& result : cases) {
    if (result.before_rewrite) rewritten.push_back({&result, analyze::rewrite_figures(result)});
  }
  page::add_filled(section.tables, rewrite_table(rewritten));
  for (const auto& [result, after] : rewritten) {
    section.notes.push_back(page::answers(rewrite_sentence(*result, after)));
  }
}

}  // namespace rooflab::report
