#pragma once

/// Time and memory of networks on devices: analyze::Predictor, and predict_case() in one call.

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/fit_result.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/analyze/predictor.hpp"
