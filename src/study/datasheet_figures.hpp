#pragma once

#include <optional>
#include <span>

#include "figures.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/device/catalog.hpp"

namespace rooflab::study {

/// The path of the case's matrix work on the device, else of its other arithmetic. A case without a
/// precision is of fp32. nullopt: the device has no figure for such paths.
[[nodiscard]] std::optional<ArithmeticPath> path_of(const StudyCase& study_case,
                                                    const device::Device& device);

/// FLOP/s that the case's `peak_flops` and `bandwidth` let work of that intensity (FLOP/B) reach;
/// nullopt: the case lacks one of them.
[[nodiscard]] std::optional<double> attainable_at(const StudyCase& study_case, double intensity);

/// Adds to cases of a device that the catalog knows what follows from its roofs, where they do not
/// have it: `peak_flops` of their path and `bandwidth` of the datasheet, `ridge_point`, and
///
///     attainable         = min(peak, intensity x bandwidth)
///     achieved_bandwidth = counted DRAM bytes / time
///
/// The intensity is the counted one where there is one.
/// Of a published row the roofs are those that its publisher divided by, if it says so. Source:
/// Williams, Waterman, Patterson, "Roofline", CACM 52 (2009).
void add_datasheet_figures(std::span<StudyCase> cases, const Study& study,
                           const device::Catalog& catalog);

}  // namespace rooflab::study
