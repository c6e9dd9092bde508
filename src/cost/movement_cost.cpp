// Ops that move data: no arithmetic, all of their cost is bytes.
//
// Resizing does arithmetic: linear interpolation is 3 per lerp (subtract, multiply, add) and takes
// 2^d - 1 lerps in d dimensions; cubic takes 7 per 4-tap sum and (4^d - 1) / 3 sums; nearest none.
// d counts the dimensions whose extent changes. Backward the same.
//
// A scatter that combines does 1 an update; what gradients of mul, max and min do counts 2 an
// element they write (a comparison or a division, and a product).

#include "rules.hpp"

namespace rooflab::cost {
namespace {

using namespace graph;

Arithmetic resize(const Resize& op, const Entry& entry) {
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

Arithmetic scatter(const Scatter& op, const Entry& entry) {
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

std::optional<Arithmetic> movement_arithmetic(const Entry& entry) {
  const Op& op = entry.node.op;
  if (const auto* resampling = std::get_if<Resize>(&op)) return resize(*resampling, entry);
  if (const auto* combination = std::get_if<Scatter>(&op)) return scatter(*combination, entry);
  return std::visit(
      Overloaded{
          [](const Reshape&) -> std::optional<Arithmetic> { return Arithmetic{}; },
          [](const Transpose&) -> std::optional<Arithmetic> { return Arithmetic{}; },
          [](const Expand&) -> std::optional<Arithmetic> { return Arithmetic{}; },
          [](const Slice&) -> std::optional<Arithmetic> { return Arithmetic{}; },
          [](const Split&) -> std::optional<Arithmetic> { return Arithmetic{}; },
          [](const Concat&) -> std::optional<Arithmetic> { return Arithmetic{}; },
          [](const Pad&) -> std::optional<Arithmetic> { return Arithmetic{}; },
          [](const Gather&) -> std::optional<Arithmetic> { return Arithmetic{}; },
          [](const GatherElements&) -> std::optional<Arithmetic> { return Arithmetic{}; },
          [](const Contiguous&) -> std::optional<Arithmetic> { return Arithmetic{}; },
          [](const Roll&) -> std::optional<Arithmetic> { return Arithmetic{}; },
          [](const Triangle&) -> std::optional<Arithmetic> { return Arithmetic{}; },
          [](const Generate&) -> std::optional<Arithmetic> { return Arithmetic{}; },
          [](const auto&) -> std::optional<Arithmetic> { return std::nullopt; },
      },
      op);
}

}  // namespace rooflab::cost
