#include "attention_mask.hpp"

#include <algorithm>

namespace rooflab::onnx {
namespace {

constexpr double hidden_below = -1e4;

bool is_causal(const ConstantTensor& mask, std::int64_t length) {
  for (std::size_t i = 0; i < mask.numbers.size(); ++i) {
    const auto place = static_cast<std::int64_t>(i);
    const std::int64_t key = place % length;
    const std::int64_t query = place / length % length;
    const bool hides = mask.numbers[i] <= hidden_below;
    if (key > query ? !hides : mask.numbers[i] != 0.0) return false;
  }
  return true;
}

}  // namespace

MaskKind kind_of_mask(const ConstantTensor& mask, const graph::Shape& scores) {
  if (!mask.floating() || mask.numbers.empty()) return MaskKind::other;
  if (std::ranges::all_of(mask.numbers, [](double x) { return x == 0.0; })) {
    return MaskKind::nothing;
  }
  const graph::Shape& shape = mask.type.shape;
  const std::int64_t length = scores.from_end(1);
  const bool square = shape.rank() >= 2 && shape.from_end(1) == length &&
                      shape.from_end(2) == length && scores.from_end(2) == length;
  return square && is_causal(mask, length) ? MaskKind::causal : MaskKind::other;
}

}  // namespace rooflab::onnx
