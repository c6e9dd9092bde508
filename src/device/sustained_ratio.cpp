// A board holds its boost clock until it meets its power limit. What it keeps below that in long,
// large products is, in this order:
//
//   figure, vector   sustained_clock / boost_clock
//   rule, vector     min(1, 1.51 max(base_clock / boost_clock, tensor figure))
//   figure, tensor   min(1, rate / (0.95 peak))
//   rule, tensor     min(1, vector figure, 0.93 (tdp / peak of 16-bit tensor products)^0.2)
//
// with tdp / peak in W per TFLOP/s. Assumptions: the base clock is what the maker promises in the
// worst case, and real products draw a like part of the worst case on every board; no work draws
// more than long tensor products, so that what a board was seen to keep in them bounds the worst
// case, too: a B200 keeps 0.78 of its clock there, and its base clock of 0.36 says nothing; tensor
// cores of one generation need a like energy for a FLOP, so that a board with more watts for each
// keeps more. 0.95 is the library's efficiency where no cap is met: the best kernels of cuBLAS
// reach 0.93 to 0.98 of 2 x multiprocessors x lanes x boost clock on V100, P100 and A100 PCIe 80GB,
// and 0.95 of an A100 SXM's BF16 peak.
//
// The constants are least squares of log(rule / figure) over the catalog's devices with figures:
// eight with a sustained clock, seven with a BF16 rate. Deviations are the root mean square errors
// of devices left out of the fit, 0.126 and 0.109; sustained_ratio_test.cpp repeats fit and errors.
// A vector figure is as sure as the library's efficiency (0.93 to 0.98: 0.03). A tensor figure
// comes from runs of unlike length: an H200 kept 690 TFLOP/s in our long products and 789 in the
// published ones, ln(789 / 690) / sqrt(2) = 0.095.
//
// Wrong where a board's power limit was lowered, and for products of zeros, which draw less. Least
// certain for the tensor cores of boards of some 75 W: no such board has a figure.

#include <algorithm>
#include <cmath>

#include "rooflab/device/calibration.hpp"
#include "rooflab/device/device.hpp"

namespace rooflab::device {
namespace {

constexpr double base_clock_factor = 1.51;
constexpr double tensor_factor = 0.93;
constexpr double tensor_exponent = 0.2;
constexpr double library_efficiency = 0.95;

constexpr double vector_figure_deviation = 0.03;
constexpr double vector_rule_deviation = 0.13;
constexpr double tensor_figure_deviation = 0.10;
constexpr double tensor_rule_deviation = 0.11;

using Basis = SustainedRatio::Basis;

bool has_tensor_rule(ArithmeticPath path) {
  return is_matrix_unit(path) && path != ArithmeticPath::fp64_tensor &&
         path != ArithmeticPath::fp32_matrix;
}

std::optional<SustainedRatio> vector_figure(const Device& device) {
  if (!device.sustained_clock || !device.boost_clock) return std::nullopt;
  const double share = device.sustained_clock->value / device.boost_clock->value;
  return SustainedRatio{std::min(1.0, share), vector_figure_deviation, Basis::figure};
}

/// The path's own rate, else that of another tensor path: on an H200 the long rates of BF16 and
/// TF32 products are the same share of their peaks.
std::optional<SustainedRatio> tensor_figure(const Device& device, ArithmeticPath path) {
  auto rate = device.sustained.find(path);
  if (rate == device.sustained.end()) {
    rate = std::ranges::find_if(device.sustained,
                                [](const auto& entry) { return has_tensor_rule(entry.first); });
  }
  if (rate == device.sustained.end()) return std::nullopt;
  const std::optional<double> rate_peak = peak(device, rate->first);
  if (!rate_peak) return std::nullopt;
  const double share = rate->second.value / (library_efficiency * *rate_peak);
  return SustainedRatio{std::min(1.0, share), tensor_figure_deviation, Basis::figure};
}

/// What the board keeps in the worst case: promised by its base clock, or seen in long tensor
/// products, which is surer where it is more.
std::optional<SustainedRatio> vector_rule(const Device& device) {
  if (device.vendor != "NVIDIA") return std::nullopt;
  double worst = 0.0;
  if (device.base_clock && device.boost_clock) {
    worst = device.base_clock->value / device.boost_clock->value;
  }
  if (const auto seen = tensor_figure(device, ArithmeticPath::bf16_tensor_fp32)) {
    worst = std::max(worst, seen->value);
  }
  if (worst == 0.0) return std::nullopt;
  return SustainedRatio{std::min(1.0, base_clock_factor * worst), vector_rule_deviation,
                        Basis::rule};
}

std::optional<SustainedRatio> tensor_rule(const Device& device) {
  std::optional<double> half_peak = peak(device, ArithmeticPath::bf16_tensor_fp32);
  if (!half_peak) half_peak = peak(device, ArithmeticPath::fp16_tensor_fp32);
  if (device.vendor != "NVIDIA" || !half_peak || !device.tdp) return std::nullopt;
  const double watts_per_tflops = device.tdp->value / (*half_peak / 1e12);
  double share = std::min(1.0, tensor_factor * std::pow(watts_per_tflops, tensor_exponent));
  if (const auto vector = vector_figure(device)) share = std::min(share, vector->value);
  return SustainedRatio{share, tensor_rule_deviation, Basis::rule};
}

}  // namespace

std::optional<SustainedRatio> sustained_ratio(const Device& device, ArithmeticPath path) {
  if (has_tensor_rule(path)) {
    const std::optional<SustainedRatio> figure = tensor_figure(device, path);
    return figure ? figure : tensor_rule(device);
  }
  const std::optional<SustainedRatio> figure = vector_figure(device);
  return figure ? figure : vector_rule(device);
}

}  // namespace rooflab::device
