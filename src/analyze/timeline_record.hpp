#pragma once

#include <functional>
#include <iosfwd>
#include <span>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/record/record.hpp"

/// Timelines of results as records of traces, and trace files made from them
/// (docs/formats/trace_output.md).
namespace rooflab::analyze {

/// Record of a predicted step: a range for each op that the host issues, and a kernel for its work
/// on the device, with the External id of the range. `number` distinguishes the case from others in
/// a file.
[[nodiscard]] record::Record timeline_record(const StepTimeline& timeline,
                                             const device::Device& device, int number);

/// Record of a measured step with its layers placed end to end: their times are medians of many
/// steps, and their starts were not measured. On a GPU a layer's pass is a kernel with the layer's
/// name, on a CPU an op.
[[nodiscard]] record::Record timeline_record(const record::LayerTimes& times,
                                             const record::DeviceIdentity& device);

/// Writes a trace file; an empty function: none of the results has a timeline. Refers to the
/// results, which must outlive it.
using WriteTimelines = std::function<void(std::ostream& stream)>;
[[nodiscard]] WriteTimelines timelines_of(std::span<const CaseResult> cases);
[[nodiscard]] WriteTimelines timelines_of(std::span<const MeasuredCase> cases);
/// Writer for the traces of records.
[[nodiscard]] WriteTimelines timelines_of(std::span<const ImportedCase> cases);

}  // namespace rooflab::analyze
