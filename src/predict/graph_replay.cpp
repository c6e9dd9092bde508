// Replaying a CUDA graph.
//
// A step that was captured once is replayed with one launch: the host pays that, and the device
// runs the kernels one after another, with less between them than between kernels issued one by
// one. `rooflab probe` measures what the host pays (`launch.graph_launch`) and what the shortest
// kernel takes, one that writes one number (`launch.graph_kernel`).
// On a device without them those of the nearest relative count, unchanged, as launches do.
//
// Where nobody measured them they are assumed, with a wider interval:
//
//     kernel   1.3 / 2.1 of `launch.gap`; from 0.55 us to `launch.gap`. A kernel takes 2.1 us on a
//              stream and 1.3 us in a graph of an H100: Spector, Juravsky et al., "Look Ma, No
//              Bubbles!", hazyresearch.stanford.edu/blog/2025-05-27-no-bubbles. 567 us for a graph
//              of 1025 empty kernels: NVIDIA, "Constant Time Launch for Straight-Line CUDA Graphs
//              and Other Performance Enhancements", developer.nvidia.com/blog.
//     kernel without `launch.gap`   0.8 us, from 0.55 to 1.3 us. 0.8 us in a graph of a B200: Cheng
//              et al., "Mirage Persistent Kernel", arXiv 2512.22219.
//     launch   2.5 us and 1 ns for each kernel (CUDA 12.6 and later, straight-line graphs), at most
//              2 us and 200 ns for each (before): NVIDIA, as above.
//
// The figures were taken from a table that quotes these publications; they serve only where no
// calibration has measured ones.

#include <algorithm>

#include "predict_notes.hpp"
#include "rooflab/predict/time_model.hpp"

namespace rooflab::predict {
namespace {

constexpr double us = 1e-6;
constexpr double graph_over_stream = 1.3 / 2.1;
constexpr double least_kernel_s = 0.55 * us;
constexpr GraphReplay::Cost published_kernel = {
    .expected = 0.8 * us, .low = least_kernel_s, .high = 1.3 * us};

/// Two ways to measure the shortest kernel differ by so much: 0.75 us as the probe does, 0.88 us as
/// a part of one graph of 400, both on an H200.
constexpr double kernel_error = 0.17;

GraphReplay::Cost exactly(double value) { return {value, value, value}; }

}  // namespace

GraphReplay graph_replay(const TimeModel& model) {
  GraphReplay replay;
  if (const auto launch = model.observed_figure("launch.graph_launch")) {
    replay.measured_launch = exactly(launch->value);
  }
  if (const auto kernel = model.observed_figure("launch.graph_kernel")) {
    const double value = kernel->value;
    replay.kernel = {value, value * (1.0 - kernel_error), value * (1.0 + kernel_error)};
    return replay;
  }
  const auto stream = model.observed_figure("launch.gap");
  if (!stream) {
    replay.kernel = published_kernel;
    replay.kernel_source = "that published for a B200 (Mirage Persistent Kernel, 2025)";
    return replay;
  }
  replay.kernel.expected = graph_over_stream * stream->value;
  replay.kernel.low = std::min(least_kernel_s, replay.kernel.expected);
  replay.kernel.high = stream->value;
  replay.kernel_source =
      "1.3 / 2.1 of the gap of kernels that are issued one by one, as published for an H100 (Look"
      " Ma, No Bubbles, 2025)";
  return replay;
}

GraphReplay::Cost GraphReplay::launch(std::size_t kernels) const {
  if (measured_launch) return *measured_launch;
  const auto number = static_cast<double>(kernels);
  const double constant = (2.5 + 0.001 * number) * us;
  return {constant, constant, std::max(constant, (2.0 + 0.2 * number) * us)};
}

std::vector<Note> GraphReplay::notes(std::size_t kernels) const {
  const Cost launch_cost = launch(kernels);
  std::vector<Note> all = {{says.graph_replay, {launch_cost.expected, kernel.expected}}};
  if (!kernel_source.empty()) {
    all.push_back(
        {says.graph_kernel_assumed, {kernel.expected, kernel_source, kernel.low, kernel.high}});
  }
  if (!measured_launch) {
    all.push_back({says.graph_launch_assumed, {launch_cost.expected, launch_cost.high}});
  }
  return all;
}

}  // namespace rooflab::predict
