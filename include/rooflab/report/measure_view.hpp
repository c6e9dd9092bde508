#pragma once

#include <span>
#include <string>

#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {

/// Measured beside limit and memory beside prediction, a row per case; where the time went by op
/// class; counters. The page adds cards, rooflines with measured points, classes against their
/// limits, steps. Layers are in the page behind a line, and in text where `layers_in_text` says so.
/// The JSON, one entry per case with its layers, is described in docs/formats/measure.md.
[[nodiscard]] Document measure_view(std::span<const analyze::MeasuredCase> cases,
                                    std::string command, bool layers_in_text = false);

/// The layers of one case: forward, backward, limit, share; the totals are the sum and the whole.
[[nodiscard]] Table measured_layer_table(const analyze::MeasuredCase& measured);

/// What the hardware counted for every layer beside the model: kernels, time, FLOPs by path, DRAM
/// and L2 bytes, intensity, rates, and what gaps are made of (in CSV with the evidence); the totals
/// are the sum over kernels and the whole step. No rows without counters.
[[nodiscard]] Table counted_layer_table(const analyze::MeasuredCase& measured);

}  // namespace rooflab::report
