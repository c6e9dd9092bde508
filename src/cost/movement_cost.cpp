// Ops that move data: no arithmetic, as their rows of facts say, all of their cost is bytes.
//
// Resizing does arithmetic: linear interpolation is 3 per lerp (subtract, multiply, add) and takes
// 2^d - 1 lerps in d dimensions; cubic takes 7 per 4-tap sum and (4^d - 1) / 3 sums; nearest none.
// d counts the dimensions whose extent changes. Backward the same.
//
// Sampling at a grid's places (PyTorch, torch.nn.functional.grid_sample), in d dimensions. The
// places are data, so that finding the neighbours is arithmetic too, once for all channels of a
// place.
//
//   of an element, forward     bilinear: a sum of 2^d weighted neighbours, 2 * 2^d - 1; bicubic: as
//                              resizing, 7 (4^d - 1) / 3 = 35; nearest 0
//   of an element, backward    to x: a product and an addition for each of the t neighbours, 2 t
//                              (nearest: the addition, 1); to the grid, in each dimension: a sum of
//                              weighted neighbours, times dy, added over channels, 2 t + 1
//                              (nearest: none)
//   of a place, forward        coordinates: a product and a sum by constants, 2 d; border: clipped,
//                              2 d; reflection: |x - a|, remainder, quotient, floor, x + b,
//                              clipped, 8 d (bicubic pads whole pixels: none). Weights: nearest
//                              rounds, d; bilinear: floor and two distances, 3 d, products of them
//                              (d - 1) 2^d; bicubic: floor and a distance, then four coefficients
//                              of the cubic convolution (Keys 1981; 3 distances, 2 times 5, 2 times
//                              6), 27 d
//   of a place, backward       as forward. The grid's gradient is scaled, d, and needs the weights'
//                              derivatives: bilinear d (d - 2) 2^d products of distances; bicubic
//                              17 d and the products of 16 pairs in each dimension; nearest none of
//                              this. bicubic to x: 16 products of weights
//
// A scatter that combines does 1 an update; what gradients of mul, max and min do counts 2 an
// element they write (a comparison or a division, and a product).

#include "rules.hpp"

namespace rooflab::cost {
namespace {

using namespace graph;

Arithmetic arithmetic(const Resize& op, const Entry& entry) {
  std::int64_t lerps = 1;
  std::int64_t taps = 1;
  for (std::size_t i = 0; i < entry.output().rank(); ++i) {
    if (entry.input(0)[i] == entry.output()[i]) continue;
    lerps *= 2;
    taps *= 4;
  }
  switch (op.mode) {
    case ResizeMode::nearest:
      return vector_work(entry.output_elements(), 0);
    case ResizeMode::linear:
      return vector_work(entry.output_elements(), 3 * (lerps - 1));
    case ResizeMode::cubic:
      return vector_work(entry.output_elements(), 7 * (taps - 1) / 3);
  }
  return {};
}

/// FLOPs of sampling in `d` dimensions; the essay says of what.
struct Sampling {
  std::int64_t taps;
  std::int64_t of_element;
  std::int64_t of_place;
  std::int64_t of_grids_gradient;  ///< FLOPs of a place
};

Sampling sampling_of(const GridSample& op, std::int64_t d) {
  const std::int64_t corners = std::int64_t{1} << d;
  const std::int64_t coordinates = 2 * d;
  const std::int64_t padding = op.padding_mode == GridSamplePadding::zeros    ? 0
                               : op.padding_mode == GridSamplePadding::border ? 2 * d
                                                                              : 8 * d;
  switch (op.mode) {
    case GridSampleMode::nearest:
      return {1, 0, coordinates + padding + d, 0};
    case GridSampleMode::bilinear:
      return {corners, 2 * corners - 1, coordinates + padding + 3 * d + (d - 1) * corners,
              d + d * (d - 2) * corners};
    case GridSampleMode::bicubic: {
      const std::int64_t taps = corners * corners;
      return {taps, 7 * (taps - 1) / 3, coordinates + 27 * d, d + 17 * d + d * taps};
    }
  }
  return {};
}

Arithmetic arithmetic(const GridSample& op, const Entry& entry) {
  const auto d = static_cast<std::int64_t>(entry.input(0).rank()) - 2;
  const Sampling sampling = sampling_of(op, d);
  const std::int64_t places = entry.input(1).elements() / d;
  std::int64_t of_element = sampling.of_element;
  std::int64_t of_place = sampling.of_place;
  if (!entry.forward()) {
    const bool interpolates = op.mode != GridSampleMode::nearest;
    const bool to_x = entry.op.writes.size() > 1;
    of_element = interpolates ? d * (2 * sampling.taps + 1) : 0;
    of_place += sampling.of_grids_gradient;
    if (to_x) of_element += interpolates ? 2 * sampling.taps : 1;
    if (to_x && op.mode == GridSampleMode::bicubic) of_place += sampling.taps;
  }
  Arithmetic work = vector_work(entry.output_elements(), of_element);
  work.vector_flops += Flops(checked_multiply(places, of_place));
  return work;
}

Arithmetic arithmetic(const Scatter& op, const Entry& entry) {
  if (entry.forward()) {
    const bool combines = op.reduction != ScatterReduction::none;
    return vector_work(entry.input(2).elements(), combines ? 1 : 0);
  }
  const bool moves =
      op.reduction == ScatterReduction::none || op.reduction == ScatterReduction::add;
  const Shape& written = entry.schedule.tensor(entry.op.writes.front()).type.shape;
  return vector_work(written.elements(), moves ? 0 : 2);
}

}  // namespace

Arithmetic movement_arithmetic(const Entry& entry) {
  return arithmetic_by_row_or<Family::movement>(
      [](const auto& op, const Entry& own) { return arithmetic(op, own); }, entry);
}

}  // namespace rooflab::cost
