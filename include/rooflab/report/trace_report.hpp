#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/chart/chart.hpp"
#include "rooflab/report/document.hpp"
#include "rooflab/trace/trace_job.hpp"

/// The panes of a trace as tables: the former TensorBoard plugin's figures and ours side by side.
/// docs/methods/traces.md says what each means. All want `imported.trace`.
namespace rooflab::report {

/// What a step's time went to, mean over the steps.
[[nodiscard]] Table step_table(const analyze::ImportedCase& imported);

/// How each device was used.
[[nodiscard]] Table device_use_table(const analyze::ImportedCase& imported);

/// Operators by device time; `top` 0 is all. With shapes, what they did by a model.
[[nodiscard]] Table operator_table(const analyze::ImportedCase& imported, std::size_t top);

/// Kernels with blocks per multiprocessor, occupancy and whether they use tensor cores by name.
[[nodiscard]] Table trace_kernel_table(const analyze::ImportedCase& imported, std::size_t top);

/// All of the above that hold something, and communication, collectives, memory.
[[nodiscard]] std::vector<Table> trace_tables(const analyze::ImportedCase& imported,
                                              std::size_t top);

/// The ranks of one job, a row each; `cases` are the traces that the job was made of.
[[nodiscard]] Table job_table(const trace::TraceJob& job,
                              std::span<const analyze::ImportedCase> cases);

/// Allocated and reserved memory over time, a chart a device; empty where none was recorded.
[[nodiscard]] std::vector<chart::Chart> memory_charts(const analyze::ImportedCase& imported);

}  // namespace rooflab::report
