#pragma once

#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "record/counter_metric.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/describe/note.hpp"
#include "rooflab/record/record.hpp"

/// Remarks on logs that lack some of the tensor cores' counters.
namespace rooflab::import {

/// Remark on a log with these counters of tensor operations (base names without unit) for the chip,
/// if it is known; nullopt: nothing is missing.
[[nodiscard]] std::optional<Note> tensor_note(
    const std::optional<record::ComputeCapability>& capability,
    const std::set<std::string_view>& collected);

/// Applies the user's device and precision after a log was read: the remark on tensor work follows
/// the device, and is replaced where the precision rules out tensor-core work
/// (Record::tensor_work_ruled_out).
void settle_tensor_work(record::Record& record, const std::optional<Precision>& precision);

}  // namespace rooflab::import
