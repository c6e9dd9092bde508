#include "rooflab/analyze/roof_place.hpp"

#include <algorithm>

#include "describe/field_table.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::analyze {

using record::KernelFigure;
using record::KernelSums;

namespace {

/// Every launch has it.
std::optional<double> whole(const KernelSums& sums, KernelFigure figure) {
  return sums.launches > 0 && sums.has_all(figure) ? sums.known(figure) : std::nullopt;
}

}  // namespace

std::optional<RoofPlace> roof_place_of(const std::optional<device::Device>& device,
                                       std::optional<ArithmeticPath> path,
                                       std::optional<double> intensity,
                                       std::optional<double> flops_per_s) {
  if (!device || !device->bandwidth || !path || !intensity || !flops_per_s) return std::nullopt;
  const std::optional<double> peak = device::peak(*device, *path);
  if (!peak) return std::nullopt;
  const double slope = *intensity * device->bandwidth->value;
  RoofPlace place;
  place.bound = slope < *peak ? predict::Bound::memory : predict::Bound::compute;
  place.attainable_flops_per_s = std::min(*peak, slope);
  place.attainable_share = *flops_per_s / place.attainable_flops_per_s;
  return place;
}

std::optional<RoofPlace> roof_place_of(const KernelSums& sums,
                                       const std::optional<device::Device>& device) {
  const std::optional<double> flops = whole(sums, KernelFigure::flops);
  if (!flops || *flops <= 0.0) return std::nullopt;
  std::optional<ArithmeticPath> main;
  for (const ArithmeticPath path : values_of<ArithmeticPath>) {
    const double work = sums.known(path).value_or(0.0);
    if (work > 0.0 && (!main || work > *sums.known(*main))) main = path;
  }
  return roof_place_of(device, main, quotient(flops, whole(sums, KernelFigure::dram_bytes)),
                       quotient(flops, whole(sums, KernelFigure::time_s)));
}

std::span<const Field> fields_of(For<RoofPlace>) {
  static constexpr auto fields =
      field_table(field<&RoofPlace::bound>("bound"),
                  field<&RoofPlace::attainable_flops_per_s>("attainable_flop_per_s"),
                  field<&RoofPlace::attainable_share>("attainable_share"));
  return fields;
}

}  // namespace rooflab::analyze
