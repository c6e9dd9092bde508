#pragma once

#include <span>
#include <string>

#include "rooflab/analyze/scaled_case.hpp"
#include "rooflab/report/document.hpp"
#include "rooflab/report/html_page.hpp"

/// Predicted data-parallel training, for people. docs/methods/scaling.md says what the columns
/// mean.
namespace rooflab::report {

/// A row for every case and number of devices. Its JSON is described in docs/formats/predict.md.
[[nodiscard]] Document scaled_report(std::span<const analyze::ScaledCase> cases);

/// The same as a page: speed-up over devices beside the ideal line, what a step is made of.
[[nodiscard]] Page scaled_page(std::span<const analyze::ScaledCase> cases, std::string command);

}  // namespace rooflab::report
