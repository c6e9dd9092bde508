#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/chart/chart.hpp"
#include "rooflab/page/document.hpp"
#include "rooflab/trace/trace_analysis.hpp"

/// Parts of pages and reports about a trace. docs/methods/traces.md explains each figure.
namespace rooflab::report {

inline constexpr double seconds_per_ns = 1e-9;

/// Tables of all panes for which the trace has data, for the mean step if steps are marked; lists
/// of operators and kernels have at most `top` rows, 0: all. `plugin`: also show the figures of
/// PyTorch's retired TensorBoard plugin. The trace must be set.
[[nodiscard]] std::vector<page::Table> trace_tables(const analyze::ImportedCase& imported,
                                                    std::size_t top, bool plugin = false);

/// Table of the messages of a step, for a profile without a trace, with their bus bandwidth.
[[nodiscard]] page::Table collectives_table(const analyze::ImportedCase& imported);

/// Shortens the names of kernels in the first column for people; CSV and JSON keep the whole names.
void shorten_kernel_names(page::Table& table);

/// Suffix `, a step` for titles of tables and bars; empty where the trace has no steps.
[[nodiscard]] std::string of_a_step(const analyze::ImportedCase& imported);

/// Table with a row per rank, by rank.
[[nodiscard]] page::Table job_table(const trace::TraceJob& job,
                                    std::span<const analyze::ImportedCase> cases);

/// Charts of allocated and reserved memory over time, one per device with more than one change.
[[nodiscard]] std::vector<chart::Chart> memory_charts(const analyze::ImportedCase& imported);

}  // namespace rooflab::report
