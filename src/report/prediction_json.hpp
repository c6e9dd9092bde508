#pragma once

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/base/json.hpp"

namespace rooflab::report {

/// null where the host is taken to keep ahead: then its time is not known.
[[nodiscard]] Json host_json(const analyze::CaseResult& result);

/// `{id, device, relation}`; null without a calibration.
[[nodiscard]] Json calibration_json(const analyze::CaseResult& result);

/// Adds what `predict` says of the expected time to a case: `prediction_model` to `explain`.
void add_prediction_json(const analyze::CaseResult& result, Json& json);

}  // namespace rooflab::report
