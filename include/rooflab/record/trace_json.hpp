#pragma once

#include "rooflab/base/json.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/record/trace.hpp"

namespace rooflab::record {

/// Everything but the rows of `ranges`, which can be millions: docs/formats/record.md.
[[nodiscard]] Json trace_head_json(const Trace& trace);

/// `[kind, name, thread, argument, start_ns, duration_ns, external_id, correlation, sequence]`.
[[nodiscard]] Json range_json(const RangeTable& ranges, std::size_t row);

/// The head with its rows under `ranges.rows`. Throws Error (input) that names the key at fault.
[[nodiscard]] Trace trace_from_json(const JsonFields& fields);

}  // namespace rooflab::record
