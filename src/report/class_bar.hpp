#pragma once

#include <map>
#include <string>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/imported_case.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/graph/op_kinds.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// A figure by class of ops, mostly seconds.
using ClassTimes = std::map<graph::WorkClass, double>;

/// What the prediction expects of the device by layer; empty without one.
[[nodiscard]] ClassTimes predicted_class_times(const analyze::CaseResult& result);
/// Measured layers; empty where none were measured.
[[nodiscard]] ClassTimes measured_class_times(const analyze::MeasuredCase& measured);
/// Kernels, of the mean step of a trace with steps.
[[nodiscard]] ClassTimes kernel_class_times(const analyze::ImportedCase& imported);

/// The colour of a class on every page, of chart/palette.hpp.
[[nodiscard]] int color_of(graph::WorkClass work_class);

/// A bar of the classes, in their order, each in its colour; `waiting_s`: what is left of a step,
/// the device's pauses. `unit`: of the figures.
[[nodiscard]] PageBar class_bar(std::string label, const ClassTimes& times, double waiting_s = 0.0,
                                std::string_view unit = "s");

}  // namespace rooflab::report
