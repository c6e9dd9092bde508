#pragma once

#include <string>

#include "rooflab/analyze/scaling.hpp"
#include "rooflab/report/document.hpp"
#include "rooflab/report/html_page.hpp"

/// What `rooflab scale` measured, for people. docs/methods/scaling.md says what the columns mean.
namespace rooflab::report {

/// A table of all runs (it is the CSV), one of all ranks, findings as notes. Its JSON, one entry a
/// series, is described in docs/formats/scale.md.
[[nodiscard]] Document scale_report(const analyze::ScalingStudy& study);

/// The same as a page: speed-up over devices beside the ideal line, what a step is made of.
[[nodiscard]] Page scale_page(const analyze::ScalingStudy& study, std::string command);

}  // namespace rooflab::report
