#pragma once

#include <algorithm>
#include <cmath>
#include <string>

#include "base/format.hpp"
#include "chart/roofs.hpp"
#include "rooflab/chart/chart.hpp"

namespace rooflab::chart {

/// ResNet-50's convolutions and normalisations (batch 32, one point each) on an H200's roofs. With
/// `measured` there is a second series at 35 to 80 % of the limit.
inline Chart example_roofline(bool measured) {
  constexpr double bandwidth = 4.8e12;
  constexpr double fp32 = 66.9e12;
  constexpr double tf32 = 494.7e12;
  Chart chart{
      .title = "Roofline of resnet50 on NVIDIA H200 SXM",
      .subtitle = "batch 32, forward, tf32, one point per layer; area: share of the limit's time",
      .captions = {"NVIDIA H200 SXM 141 GB: FP32 66.9 TFLOP/s, TF32 tensor 494.7 TFLOP/s (dense), "
                   "HBM3e 4.8 TB/s. Limits are of the direct algorithm, not predictions."},
      .x = {.label = "Arithmetic intensity", .unit = "FLOP/B", .scale = Scale::logarithmic},
      .y = {.label = "Performance",
            .unit = "FLOP/s",
            .scale = Scale::logarithmic,
            .numbers = NumberStyle::si},
      .guides = {bandwidth_roof("HBM3e 4.8 TB/s", bandwidth, tf32),
                 peak_roof("FP32 66.9 TFLOP/s", fp32, bandwidth, 0),
                 peak_roof("TF32 tensor 494.7 TFLOP/s", tf32, bandwidth, 1)},
      .vertical_guides = {ridge_point(fp32, bandwidth, 0), ridge_point(tf32, bandwidth, 1)},
  };
  Series limit{.name = "limit", .marker = Marker::diamond, .color = 2, .points = {}};
  Series runs{.name = "measured", .marker = Marker::circle, .color = 0, .points = {}};

  double longest = 0.0;
  int index = 0;
  const auto add = [&](const std::string& name, double flops, double bytes, double peak) {
    const double time = std::max(flops / peak, bytes / bandwidth);
    const double intensity = flops / bytes;
    longest = std::max(longest, time);
    limit.points.push_back(
        {intensity, flops / time, time, name, {"limit " + si(time, "s"), "batch 32"}});
    const double efficiency = 0.35 + 0.45 * std::abs(std::sin(1.7 * ++index));
    runs.points.push_back(
        {intensity * (0.8 + 0.1 * (index % 3)), efficiency * flops / time, time, name, {}});
  };
  const auto convolution = [&](const std::string& name, double in, double out, double size,
                               double kernel, double stride) {
    const double places = 32.0 * (size / stride) * (size / stride);
    add(name, 2.0 * places * in * out * kernel * kernel,
        4.0 * (32.0 * size * size * in + in * out * kernel * kernel + places * out), tf32);
    add(name + ".bn", 4.0 * places * out, 8.0 * places * out, fp32);
  };
  convolution("conv1", 3, 64, 224, 7, 2);
  const int blocks[] = {3, 4, 6, 3};
  double in = 64;
  for (int stage = 0; stage < 4; ++stage) {
    const double width = 64 << stage;
    for (int block = 0; block < blocks[stage]; ++block) {
      const std::string scope = format("layer{}.{}.", stage + 1, block);
      const double stride = stage > 0 && block == 0 ? 2 : 1;
      const double size = (56 >> stage) * stride;
      convolution(scope + "conv1", in, width, size, 1, 1);
      convolution(scope + "conv2", width, width, size, 3, stride);
      convolution(scope + "conv3", width, 4 * width, size / stride, 1, 1);
      if (block == 0) convolution(scope + "downsample", in, 4 * width, size, 1, stride);
      in = 4 * width;
    }
  }
  for (Series* series : {&limit, &runs}) {
    for (Point& point : series->points) point.weight /= longest;
  }
  chart.series = {limit};
  if (measured) chart.series.push_back(runs);
  return chart;
}

}  // namespace rooflab::chart
