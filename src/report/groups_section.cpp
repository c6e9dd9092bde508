#include "groups_section.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "base/format.hpp"
#include "describe/fields.hpp"
#include "notes/analyze_notes.hpp"
#include "notes/report_notes.hpp"
#include "page/joined_row.hpp"
#include "page/row_table.hpp"
#include "record/record_json.hpp"
#include "rooflab/base/statistics.hpp"
#include "trace_tables.hpp"

namespace rooflab::report {
namespace {

using analyze::ImportedCase;
using record::CountedGroups;
using record::GroupSums;
using record::KernelFigure;

/// Rows by falling time; groups without a time last.
std::vector<std::size_t> by_time(const CountedGroups& groups) {
  std::vector<std::size_t> rows(groups.groups.size());
  std::iota(rows.begin(), rows.end(), std::size_t{0});
  std::ranges::stable_sort(rows, std::ranges::greater(), [&](std::size_t row) {
    return groups.totals.at(KernelFigure::time_s, row).value_or(-1.0);
  });
  return rows;
}

/// `5.21 TFLOP (+- 0.4 %)`; empty where it is not known.
std::string sum_text(const GroupSums& sums, KernelFigure figure, std::string_view unit) {
  const std::optional<double> sum = sums.sums.known(figure);
  if (!sum) return {};
  std::string text = si(*sum, unit);
  const std::optional<double> error = sums.errors[figure];
  if (error && *sum > 0.0) text += format(" (+- {:.1f} %)", 100.0 * *error / *sum);
  return text;
}

}  // namespace

page::Table groups_table(const ImportedCase& imported, std::size_t top) {
  if (!imported.grouped) return {};
  const CountedGroups& groups = *imported.record.counted_groups;
  const bool tensor_cores = imported.grouped->sums.tensor_cores;
  const std::optional<double> all_s = imported.grouped->sums.known(KernelFigure::time_s);
  std::vector<std::size_t> order = by_time(groups);
  const std::size_t all = order.size();
  if (top > 0 && top < all) order.resize(top);
  std::vector<page::JoinedRow> rows;
  for (const std::size_t row : order) {
    const record::KernelEntry entry(groups.totals, row, tensor_cores);
    const record::LaunchFigures errors = record::figures_of(groups.errors, row, tensor_cores);
    const auto share = [&](KernelFigure figure) {
      const std::optional<double> error = errors[figure];
      return error ? quotient(*error, entry.sums.at(figure).value_or(0.0)) : error;
    };
    rows.emplace_back()
        .own("time_share", quotient(entry.sums.at(KernelFigure::time_s), all_s.value_or(0.0)))
        .own("flop_error_share", share(KernelFigure::flops))
        .own("dram_bytes_error_share", share(KernelFigure::dram_bytes))
        .of(groups.groups[row])
        .keeping(entry)
        .keeping(entry.sums);
  }
  page::Table table = page::table_of(
      rows,
      page::columns_of(page::cut(page::titled("name", "kernel")), page::beside_text("grid"),
                       page::beside_text("block"), "launches", "counted_launches",
                       page::in_csv("timed_launches"), "time_s", page::in_bars("time_share"),
                       "dram_bytes", "dram_bytes_error_share", "cuda_core_flop",
                       page::titled("tensor_flop", "tensor cores"), "flop", "flop_error_share",
                       page::if_known("intensity_flop_per_byte"), page::if_known("flop_per_s"),
                       page::if_known("dram_bytes_per_s"), page::if_known("occupancy_share")));
  shorten_kernel_names(table);
  table.title =
      format("All launches of {}, by kernel, grid and block, from those that were counted",
             imported.title);
  if (order.size() < all) {
    table.title += format(": the {} groups that take longest of {}", order.size(), all);
  }
  return table;
}

page::Remarks groups_notes(const ImportedCase& imported) {
  if (!imported.grouped) return {};
  const GroupSums& sums = *imported.grouped;
  const CountedGroups& groups = *imported.record.counted_groups;
  std::vector<std::string> parts;
  for (const auto& [figure, unit, what] : {std::tuple{KernelFigure::flops, "FLOP", ""},
                                           {KernelFigure::tensor_flops, "FLOP", " on tensor cores"},
                                           {KernelFigure::dram_bytes, "B", " of DRAM"}}) {
    if (std::string text = sum_text(sums, figure, unit); !text.empty()) {
      parts.push_back(std::move(text) + what);
    }
  }
  page::Remarks notes = {
      Note{says.groups_counted,
           {groups.chip, sums.launches, sums.groups,
            parts.empty() ? "what is not known" : join(parts, ", "), sums.covered_share,
            sums.known_share > sums.covered_share ? sums.known_share : std::nullopt}},
      Note{says.groups_cost, {groups.held_s, groups.window_s}}};
  if (sums.once > 0) {
    notes.push_back(Note{says.groups_once, {sums.once}});
  }
  if (sums.without > 0) {
    notes.push_back(Note{says.groups_without, {sums.without, sums.without_s}});
  }
  notes.push_back({Note{analyze::says.counting_conventions}.text(), NoteRank::explains});
  return notes;
}

}  // namespace rooflab::report
