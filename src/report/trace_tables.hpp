#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/chart/chart.hpp"
#include "rooflab/report/document.hpp"
#include "rooflab/trace/trace_analysis.hpp"

/// Parts of pages and reports about a trace. docs/methods/traces.md says what each figure means.
namespace rooflab::report {

inline constexpr double seconds_per_ns = 1e-9;

/// Tables of all panes that the trace has something for, each of the mean step where steps are
/// marked; lists of operators and kernels are cut after `top` rows, 0: not at all. `plugin`: beside
/// ours the figures of PyTorch's former TensorBoard plugin. The trace must be there.
[[nodiscard]] std::vector<Table> trace_tables(const analyze::ImportedCase& imported,
                                              std::size_t top, bool plugin = false);

/// Messages of a step of a profile without a trace, with the bus bandwidth that they reached.
[[nodiscard]] Table collectives_table(const analyze::ImportedCase& imported);

/// Names of kernels in the first column as people say them; CSV and JSON keep all of each.
void shorten_kernel_names(Table& table);

/// `, a step` behind what a table or bar is of; empty where the trace has no steps.
[[nodiscard]] std::string of_a_step(const analyze::ImportedCase& imported);

/// A line per rank, by rank.
[[nodiscard]] Table job_table(const trace::TraceJob& job,
                              std::span<const analyze::ImportedCase> cases);

/// Allocated and reserved memory over time, a chart a device with more than one change.
[[nodiscard]] std::vector<chart::Chart> memory_charts(const analyze::ImportedCase& imported);

}  // namespace rooflab::report
