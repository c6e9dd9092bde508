#pragma once

#include <optional>
#include <set>
#include <string_view>
#include <vector>

#include "record/counter_metric.hpp"
#include "rooflab/base/note.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/record/record.hpp"

/// What a log without some of the tensor cores' counters may lack.
namespace rooflab::import {

/// The remark on a log with these counters of tensor operations (base names without their unit), by
/// the chip where it is known; nullopt: nothing is missing.
[[nodiscard]] std::optional<Note> tensor_note(
    const std::optional<record::ComputeCapability>& capability,
    const std::set<std::string_view>& collected);

/// Takes up what the user said of device and precision after a log was read: its remark on tensor
/// work goes by the device, and is replaced where the precision leaves tensor cores no work
/// (Record::tensor_work_ruled_out).
void settle_tensor_work(record::Record& record, const std::optional<Precision>& precision);

}  // namespace rooflab::import
