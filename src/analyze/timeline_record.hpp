#pragma once

#include <functional>
#include <iosfwd>
#include <span>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/record/record.hpp"

/// Timelines of results as records of traces, and the trace files that are made of them
/// (docs/formats/trace_output.md).
namespace rooflab::analyze {

/// A predicted step: a range for what the host issues, a kernel for each op's work on the device,
/// with the External id of its range. `device` tells the case from others of a file.
[[nodiscard]] record::Record timeline_record(const StepTimeline& timeline,
                                             const device::Device& device, int number);

/// The layers of a measured step, laid end to end: their times are medians of many steps, and where
/// each began was not measured. On a GPU a layer's pass is a kernel of that name, on a CPU an op.
[[nodiscard]] record::Record timeline_record(const record::LayerTimes& times,
                                             const record::DeviceIdentity& device);

/// Writes a trace file; an empty function: none of the results has a timeline. Refers to the
/// results, which must outlive it.
using WriteTimelines = std::function<void(std::ostream& stream)>;
[[nodiscard]] WriteTimelines timelines_of(std::span<const CaseResult> cases);
[[nodiscard]] WriteTimelines timelines_of(std::span<const MeasuredCase> cases);
/// The records' own traces.
[[nodiscard]] WriteTimelines timelines_of(std::span<const ImportedCase> cases);

}  // namespace rooflab::analyze
