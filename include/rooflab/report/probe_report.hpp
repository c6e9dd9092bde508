#pragma once

#include <string>
#include <string_view>

#include "rooflab/chart/chart.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/report/document.hpp"
#include "rooflab/report/html_page.hpp"

/// What `rooflab probe` measured, for people. docs/methods/probe.md says how, docs/formats/probe.md
/// describes the JSON.
namespace rooflab::report {

/// Figures, matrix products by size, vector addition by kind of memory, single ops by kind, host
/// costs by issuer: a table for each that the calibration has; CSV is the figures. `known` is the
/// catalog's device, for the share of its datasheet's figures; nullptr: none fits.
[[nodiscard]] Document probe_report(const device::Calibration& calibration,
                                    const device::Device* known);

/// The measured times of adding two arrays over their length, both axes logarithmic: a line for
/// each launch on arrays of that kind of memory (`device` or `managed`), copies included, a dashed
/// one for its kernel alone, and the CPU's. Without rows of that memory it has no series.
[[nodiscard]] chart::Chart vector_addition_chart(const device::Calibration& calibration,
                                                 std::string_view memory);

/// The same as a page: cards with the best figures, tables, the charts of both kinds of memory.
[[nodiscard]] Page probe_page(const device::Calibration& calibration, const device::Device* known,
                              std::string command);

}  // namespace rooflab::report
