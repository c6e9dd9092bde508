#pragma once

#include <string>
#include <string_view>

#include "rooflab/chart/chart.hpp"
#include "rooflab/device/probed_device.hpp"
#include "rooflab/report/document.hpp"

/// What `rooflab probe` measured, for people. docs/methods/probe.md says how.
namespace rooflab::report {

/// Figures, matrix products by size, vector addition by kind of memory, links, single ops by kind,
/// host costs by issuer: a table for each that the calibration has; CSV is the figures. The page
/// also has cards with the best figures and charts of the vector additions. `command`: the command
/// line that shows it.
[[nodiscard]] Document probe_view(const device::ProbedDevice& probed, std::string command);

/// The times of adding two arrays in that kind of memory (`device` or `managed`), a row for every
/// length; without rows of that memory it has none, or the CPU's.
[[nodiscard]] Table vector_addition_table(const device::Calibration& calibration,
                                          std::string_view memory);

/// The measured times of adding two arrays over their length, both axes logarithmic: a line for
/// each launch on arrays of that kind of memory (`device` or `managed`), copies included, a dashed
/// one for its kernel alone, and the CPU's. Without rows of that memory it has no series.
[[nodiscard]] chart::Chart vector_addition_chart(const device::Calibration& calibration,
                                                 std::string_view memory);

}  // namespace rooflab::report
