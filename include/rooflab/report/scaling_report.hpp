#pragma once

#include <string>
#include <string_view>

#include "rooflab/analyze/scaling.hpp"
#include "rooflab/report/document.hpp"
#include "rooflab/report/html_page.hpp"

/// Data-parallel training, measured by `rooflab scale` or predicted by `rooflab predict --gpus`,
/// for people. docs/methods/scaling.md says what the columns mean.
namespace rooflab::report {

/// A table of all numbers of devices (it is the CSV), one of all ranks, findings as notes. Its JSON
/// is described in docs/formats/scale.md; `command` is the one that writes it, `scale`.
[[nodiscard]] Document scaling_report(const analyze::Scaling& scaling, std::string_view command);

/// The same as a page: speed-up over devices beside the ideal line, what a step is made of.
[[nodiscard]] Page scaling_page(const analyze::Scaling& scaling, std::string command_line);

}  // namespace rooflab::report
