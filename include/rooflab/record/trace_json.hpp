#pragma once

#include "rooflab/base/json.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/record/trace.hpp"

namespace rooflab::record {

/// `[kind, name, thread, argument, start_ns, duration_ns, external_id, correlation, sequence]`.
[[nodiscard]] Json range_json(const RangeTable& ranges, std::size_t row);
/// All of them.
[[nodiscard]] Json rows_json(const RangeTable& ranges);
void read_rows(RangeTable& ranges, const JsonValue& from);

/// Throws Error (input) that names the key at fault, also where a number names nothing.
[[nodiscard]] Trace trace_from_json(const JsonFields& fields);

}  // namespace rooflab::record
