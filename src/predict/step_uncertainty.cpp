// How the errors of single ops add up to that of a step.
//
// Errors are of log time. With a_i a shape's share of the device's time, s_i its deviation:
//
//     variance = sum over pairs i, j of a_i a_j s_i s_j r_ij + common^2 + floor^2
//
// Kinds that `rooflab probe` measured on the device. r_ij and the scale of s_i come from the rows
// of a calibration themselves. A network asks for sizes that no row has: each image size has other
// map sizes, each width other feature counts. So all rows of a kind that share a size (of
// batch, pixels, channels, features, ...) are left out together and predicted from the rest. Of
// errors z over deviations, D the distance of two rows in octaves (the root of the sum of squares
// of log2 of the ratios of their sizes), the H200's tables of 30 rows and more give
//
//     mean of z^2                                               1.16^2: 1.2^2
//     correlation at D below 2, 2 to 4, 4 to 8, more            0.30, 0.13, 0.06, 0.03:
//                                                               1/2 exp(-D / 2.5)
//     two passes of an op (forward, gradients), equal sizes     0.20
//
// so only equal shapes err alike, and far sizes hardly go together. tests/accuracy measures the
// table again (docs/accuracy.md). Other ops, types and layouts count as independent: between types
// the correlation is up to 0.6, but a step rarely runs one op in two types or layouts.
//
// Kinds carried over from another device. Half of the variance belongs to the kind, half to each
// shape: errors of ops of devices that are left out (docs/accuracy.md) correlate by 0.64 at one to
// two octaves, 0.48 at two to four, 0.31 at four to eight. Ops of one published kind of the device
// itself err as one, since most of their deviation is what all rows of a publication have in
// common; so do those that borrow another kind's times, and rooflines. common = sum of a_i c_i, c_i
// what all ops carried from other devices have in common.
//
// The floor is what a row of a calibration cannot show, 0.03, from three measurements on H200s:
// 0.021 for caches (ops with repeated and with cold operands differ by 0.072, root mean square over
// kinds, at 20 us and more; a step lies anywhere between, which is 1 / sqrt(12) of that), 0.014 for
// clocks (products for a second against briefly), 0.009 for another board (medians of 177 kinds
// probed on two).

#include "step_uncertainty.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "base/assert.hpp"

namespace rooflab::predict {
namespace {

constexpr double floor_deviation = 0.03;
constexpr double unseen_size_scale = 1.2;
constexpr double correlation_of_shapes = 0.5;
constexpr double correlation_of_passes = 0.2;
constexpr double octaves_of_decay = 2.5;
/// Share of the variance of a carried op that all ops of its kind have in common.
constexpr double shared_when_carried = 0.5;

using Shapes = std::vector<const ShapeShare*>;

double part_of(const ShapeShare& one) { return one.time_s * one.estimate.deviation; }

/// Kinds of one op in its passes, all measured on the device by `rooflab probe`.
double variance_of_measured(const Shapes& shapes) {
  double sum = 0.0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const double part = part_of(*shapes[i]);
    sum += part * part;
    for (std::size_t j = 0; j < i; ++j) {
      sum +=
          2.0 * part * part_of(*shapes[j]) * error_correlation(shapes[i]->shape, shapes[j]->shape);
    }
  }
  return unseen_size_scale * unseen_size_scale * sum;
}

/// Ops that took the times of one kind.
double variance_of_borrowed(const Shapes& shapes, double shared) {
  double whole = 0.0;
  double apart = 0.0;
  for (const ShapeShare* const one : shapes) {
    whole += part_of(*one);
    apart += part_of(*one) * part_of(*one);
  }
  return shared * whole * whole + (1.0 - shared) * apart;
}

}  // namespace

double octaves_between(const OpShape& one, const OpShape& other) {
  ROOFLAB_ASSERT(one.sizes.size() == other.sizes.size());
  double square = 0.0;
  for (std::size_t j = 0; j < one.sizes.size(); ++j) {
    square += std::pow(std::log2(one.sizes[j] / other.sizes[j]), 2.0);
  }
  return std::sqrt(square);
}

double error_correlation(const OpShape& one, const OpShape& other) {
  if (one.op != other.op || one.type != other.type || one.layout != other.layout) return 0.0;
  if (one == other) return 1.0;
  return (one.pass == other.pass ? correlation_of_shapes : correlation_of_passes) *
         std::exp(-octaves_between(one, other) / octaves_of_decay);
}

double device_variance(std::span<const ShapeShare> shapes, double device_s,
                       std::string_view target) {
  if (device_s <= 0.0) return floor_deviation * floor_deviation;
  std::map<std::tuple<std::string, std::string, std::string>, Shapes> measured;
  std::map<std::tuple<std::string, TimeSource, std::string>, Shapes> borrowed;
  double common = 0.0;
  for (const ShapeShare& one : shapes) {
    const OpEstimate& estimate = one.estimate;
    common += one.time_s * estimate.common_deviation;
    if (estimate.source == TimeSource::measured_kind && estimate.origin.empty()) {
      measured[{one.shape.op, one.shape.type, one.shape.layout}].push_back(&one);
    } else {
      borrowed[{estimate.kind, estimate.source, estimate.device}].push_back(&one);
    }
  }
  double sum = common * common;
  for (const auto& [op, together] : measured) sum += variance_of_measured(together);
  for (const auto& [kind, together] : borrowed) {
    const std::string& device = std::get<2>(kind);
    const bool carried = !device.empty() && device != target;
    sum += variance_of_borrowed(together, carried ? shared_when_carried : 1.0);
  }
  return sum / (device_s * device_s) + floor_deviation * floor_deviation;
}

}  // namespace rooflab::predict
