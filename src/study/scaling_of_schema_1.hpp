#pragma once

#include "rooflab/base/json.hpp"

namespace rooflab::study {

/// Results of schema 1 had two shapes for scaling: `series[].rows[]` of `scale`, with the measured
/// figures in the row, and `scaled_cases[].steps[]` of `predict --gpus`. They become
/// `series[].rows[]` with `measured` and `predicted`, under the keys of schema 1; any other result
/// stays as it is.
[[nodiscard]] Json scaling_of_schema_1(Json result);

}  // namespace rooflab::study
