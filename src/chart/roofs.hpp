#pragma once

#include <string>

#include "rooflab/chart/chart.hpp"

namespace rooflab::chart {

/// The parts of a roofline with x in FLOP/B and y in FLOP/s: attainable performance is
/// min(peak, x * bandwidth), and the ridge point, where the two meet, lies at x = peak / bandwidth.
/// Source: S. Williams, A. Waterman, D. Patterson, "Roofline: an insightful visual performance
/// model for multicore architectures", CACM 52(4), 2009.
///
/// Several flat roofs share one slope, which then reaches up to the highest of them:
///
///     chart.guides.push_back(bandwidth_roof("HBM3e 4.8 TB/s", 4.8e12, 494.7e12));
///     chart.guides.push_back(peak_roof("FP32 66.9 TFLOP/s", 66.9e12, 4.8e12, 0));
///     chart.guides.push_back(peak_roof("TF32 494.7 TFLOP/s", 494.7e12, 4.8e12, 1));
///     chart.vertical_guides.push_back(ridge_point(66.9e12, 4.8e12, 0));

/// The sloped roof, from the plot's left edge up to `highest_peak`.
[[nodiscard]] Guide bandwidth_roof(std::string label, double bytes_per_s, double highest_peak,
                                   int color = neutral_color);

/// A flat roof, from its ridge point to the plot's right edge.
[[nodiscard]] Guide peak_roof(std::string label, double flops_per_s, double bytes_per_s,
                              int color = neutral_color);

/// The ridge point below its roof, labelled `ridge 13.94 FLOP/B`.
[[nodiscard]] VerticalGuide ridge_point(double flops_per_s, double bytes_per_s,
                                        int color = neutral_color);

}  // namespace rooflab::chart
