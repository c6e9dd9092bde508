#pragma once

#include <cstdint>
#include <optional>

#include "rooflab/base/precision.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/schedule/schedule.hpp"
#include "rooflab/trace/trace_analysis.hpp"

namespace rooflab::analyze {

/// Properties of the case that ran, as far as a recording of another program shows them; nullopt:
/// it does not.
struct RecordedCase {
  std::optional<Phase> phase = {};  ///< inference: ops launched the work without a backward pass
  std::optional<std::int64_t> batch = {};
  std::optional<Precision> precision = {};
  std::optional<schedule::Optimizer> optimizer = {};
};

/// Finds the case of a record. `trace`: the record's trace; nullptr without one.
[[nodiscard]] RecordedCase recorded_case_of(const record::Record& record,
                                            const trace::TraceAnalysis* trace);

/// Whether a program in precision `asked` can have done work in precision `shown`: a program that
/// allows TF32 may multiply in FP32, autocast multiplies in 16 bits.
[[nodiscard]] bool may_be_of(Precision shown, Precision asked);

}  // namespace rooflab::analyze
