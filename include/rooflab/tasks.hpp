#pragma once

/// The commands of the program: a request, and the function from request to result.

#include "rooflab/task/cases.hpp"
#include "rooflab/task/compare.hpp"
#include "rooflab/task/device_choice.hpp"
#include "rooflab/task/fit.hpp"
#include "rooflab/task/import.hpp"
#include "rooflab/task/layer_choice.hpp"
#include "rooflab/task/network.hpp"
#include "rooflab/task/predict.hpp"
#include "rooflab/task/report.hpp"
#include "rooflab/task/request_kind.hpp"
#include "rooflab/task/results.hpp"
#include "rooflab/task/session.hpp"
