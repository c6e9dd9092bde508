#pragma once

#include <map>
#include <string>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/graph/op_kinds.hpp"
#include "rooflab/page/document.hpp"

namespace rooflab::report {

/// A figure by class of ops, usually seconds.
using ClassTimes = std::map<graph::WorkClass, double>;

/// Predicted device times of layers by class; empty without a prediction.
[[nodiscard]] ClassTimes predicted_class_times(const analyze::CaseResult& result);
/// Measured times of layers by class; empty where none were measured.
[[nodiscard]] ClassTimes measured_class_times(const analyze::MeasuredCase& measured);
/// Times of kernels by class, in the mean step of a trace with steps.
[[nodiscard]] ClassTimes kernel_class_times(const analyze::ImportedCase& imported);

/// Colour of a class on every page, as an index in chart/palette.hpp.
[[nodiscard]] int color_of(graph::WorkClass work_class);

/// A bar of the classes, in their order, each in its colour; `waiting_s`: rest of a step, in which
/// the device pauses. `unit`: unit of the figures.
[[nodiscard]] chart::Bar class_bar(std::string label, const ClassTimes& times,
                                   double waiting_s = 0.0, std::string_view unit = "s");

}  // namespace rooflab::report
