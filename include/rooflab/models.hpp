#pragma once

/// The models behind a prediction: roofline, ops, steps, memory, links.

#include "rooflab/predict/limit.hpp"
#include "rooflab/predict/link_model.hpp"
#include "rooflab/predict/memory_model.hpp"
#include "rooflab/predict/op_model.hpp"
#include "rooflab/predict/predicted_scaling.hpp"
#include "rooflab/predict/time_model.hpp"
#include "rooflab/predict/workspace.hpp"
