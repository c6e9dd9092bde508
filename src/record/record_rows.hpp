#pragma once

#include <span>

#include "describe/fields.hpp"
#include "rooflab/describe/figure_key.hpp"
#include "rooflab/record/trace.hpp"

/// The parts of a record's file that have a row for each launch and range.
namespace rooflab::record {

inline constexpr FigureKey kernels_key = "kernels";
inline constexpr FigureKey trace_key = "trace";
inline constexpr FigureKey ranges_key = "ranges";
inline constexpr FigureKey rows_key = "rows";
inline constexpr FigureKey step_key = "step";

/// Fields of a record without its launches and its trace.
[[nodiscard]] std::span<const Field> head_fields();

/// A range as `[kind, name, thread, argument, start_ns, duration_ns, external_id, correlation,
/// sequence]`.
[[nodiscard]] Json range_json(const RangeTable& ranges, std::size_t row);

}  // namespace rooflab::record
