#pragma once

#include <string>
#include <string_view>

#include "rooflab/analyze/scaling.hpp"
#include "rooflab/report/document.hpp"

/// Data-parallel training, measured by `rooflab scale` or predicted by `rooflab predict --gpus`,
/// for people. docs/methods/scaling.md says what the columns mean.
namespace rooflab::report {

/// A table of all numbers of devices (it is the CSV), one of all ranks, findings as notes; on a
/// page also the speed-up beside the ideal line and what a step is made of. Its JSON is described
/// in docs/formats/scale.md; `command` is the one that writes it, `scale`.
[[nodiscard]] Document scaling_view(const analyze::Scaling& scaling, std::string_view command,
                                    std::string command_line);

}  // namespace rooflab::report
