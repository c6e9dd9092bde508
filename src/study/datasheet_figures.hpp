#pragma once

#include <optional>
#include <span>

#include "figures.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/device/catalog.hpp"

namespace rooflab::study {

/// The path of the case's matrix work on the device, else of its other arithmetic. A case without a
/// precision counts as fp32. nullopt: the device has no figure for such paths.
[[nodiscard]] std::optional<ArithmeticPath> path_of(const StudyCase& study_case,
                                                    const device::Device& device);

/// Attainable FLOP/s for an intensity (FLOP/B) by the case's `peak_flops` and `bandwidth`; nullopt:
/// the case lacks one of them.
[[nodiscard]] std::optional<double> attainable_at(const StudyCase& study_case, double intensity);

/// Adds missing figures that follow from the device's roofs to cases with a device of the catalog:
/// `peak_flops` of their path and `bandwidth` of the datasheet, `ridge_point`, and
///
///     attainable         = min(peak, intensity x bandwidth)
///     achieved_bandwidth = counted DRAM bytes / time
///
/// The intensity is the counted one if available. For a published row the roofs are those that its
/// publisher divided by, if stated. Source: Williams, Waterman, Patterson, "Roofline", CACM 52
/// (2009).
void add_datasheet_figures(std::span<StudyCase> cases, const Study& study,
                           const device::Catalog& catalog);

}  // namespace rooflab::study
