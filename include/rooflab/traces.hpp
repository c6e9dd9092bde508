#pragma once

/// What ran when: breakdown of a trace, its operators, its timeline.

#include "rooflab/analyze/step_timeline.hpp"
#include "rooflab/analyze/trace_check.hpp"
#include "rooflab/trace/step_work.hpp"
#include "rooflab/trace/trace_analysis.hpp"
#include "rooflab/trace/trace_breakdown.hpp"
#include "rooflab/trace/trace_operators.hpp"
#include "rooflab/trace/trace_parts.hpp"
