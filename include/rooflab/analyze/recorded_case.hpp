#pragma once

#include <cstdint>
#include <optional>

#include "rooflab/base/precision.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/schedule/schedule.hpp"
#include "rooflab/trace/trace_analysis.hpp"

namespace rooflab::analyze {

/// What a recording of another program shows of the case that ran; nullopt: it does not.
struct RecordedCase {
  std::optional<Phase> phase;  ///< inference: ops launched the work, and the backward pass is missing
  std::optional<std::int64_t> batch;
  std::optional<Precision> precision;
  std::optional<schedule::Optimizer> optimizer;
};

/// `trace`: the record's; nullptr without one.
[[nodiscard]] RecordedCase recorded_case_of(const record::Record& record,
                                            const trace::TraceAnalysis* trace);

/// Whether work in the shown precision can be that of a program in the asked one: products in FP32
/// may be those of a program that allows TF32, 16-bit products those of autocast.
[[nodiscard]] bool may_be_of(Precision shown, Precision asked);

}  // namespace rooflab::analyze
