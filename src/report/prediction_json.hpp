#pragma once

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/base/json.hpp"

namespace rooflab::report {

/// Adds what `predict` says of the expected time to a case: `prediction_model` to `explain`.
void add_prediction_json(const analyze::CaseResult& result, Json& json);

}  // namespace rooflab::report
