#include "roofs.hpp"

#include <utility>

#include "base/format.hpp"

namespace rooflab::chart {

Guide bandwidth_roof(std::string label, double bytes_per_s, double highest_peak, int color) {
  const double ridge = highest_peak / bytes_per_s;
  return {.label = std::move(label),
          .line = {{ridge / 10.0, highest_peak / 10.0}, {ridge, highest_peak}},
          .extend_start = true,
          .color = color};
}

Guide peak_roof(std::string label, double flops_per_s, double bytes_per_s, int color) {
  const double ridge = flops_per_s / bytes_per_s;
  return {.label = std::move(label),
          .line = {{ridge, flops_per_s}, {ridge * 10.0, flops_per_s}},
          .extend_end = true,
          .color = color};
}

VerticalGuide ridge_point(double flops_per_s, double bytes_per_s, int color) {
  const double ridge = flops_per_s / bytes_per_s;
  return {.label = format("ridge {:.4g} FLOP/B", ridge),
          .x = ridge,
          .top = flops_per_s,
          .color = color};
}

}  // namespace rooflab::chart
