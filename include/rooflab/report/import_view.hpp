#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/report/document.hpp"
#include "rooflab/trace/trace_job.hpp"

namespace rooflab::report {

/// A row of the first table of an import, which is its CSV: one per file, kernel or launch.
enum class ImportRow { file, kernel, launch };
constexpr auto names_in_order(For<ImportRow>) {
  return names_through<ImportRow::launch>("file", "kernel", "launch");
}

struct ImportView {
  ImportRow per = ImportRow::file;
  std::size_t top = 20;  ///< rows of tables of kernels and operators; 0: all
};

/// Totals of every file, kernels by name, and for traces the panes of docs/methods/traces.md. The
/// JSON of one file is a record (docs/formats/record.md) with the keys of docs/formats/import.md in
/// front; of several files, a list of these. It is written piece by piece and refers to `cases`.
/// `job` is set where the files are the traces of a job's ranks.
[[nodiscard]] Document import_view(std::span<const analyze::ImportedCase> cases,
                                   const std::optional<trace::TraceJob>& job = std::nullopt,
                                   const ImportView& view = {});

/// A row for every kernel name: launches, time, DRAM bytes, FLOPs, intensity, rates, occupancy.
[[nodiscard]] Table kernel_table(const analyze::ImportedCase& imported, std::size_t top);

/// The totals of one file per row.
[[nodiscard]] Table import_totals_table(std::span<const analyze::ImportedCase> cases);

/// What is missing or odd: the check, what was not collected, warnings, losses, a sentence each.
[[nodiscard]] std::vector<std::string> import_warnings(const analyze::ImportedCase& imported);

/// All that a reader of the figures must know: how counters were collected, and import_warnings().
[[nodiscard]] std::vector<std::string> import_notes(const analyze::ImportedCase& imported);

}  // namespace rooflab::report
