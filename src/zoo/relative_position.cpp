#include "relative_position.hpp"

namespace rooflab::zoo {

std::shared_ptr<const graph::ConstantData> relative_position_index(std::int64_t window) {
  auto index = std::make_shared<graph::ConstantData>();
  const std::int64_t pixels = window * window;
  for (std::int64_t from = 0; from < pixels; ++from) {
    for (std::int64_t to = 0; to < pixels; ++to) {
      const std::int64_t down = from / window - to / window + window - 1;
      const std::int64_t right = from % window - to % window + window - 1;
      index->integers.push_back(down * (2 * window - 1) + right);
    }
  }
  return index;
}

ValueId relative_position_bias(GraphBuilder& b, ValueId table,
                               std::shared_ptr<const graph::ConstantData> index,
                               std::int64_t window) {
  const std::int64_t pixels = window * window;
  const std::int64_t heads = b.shape(table)[1];
  const ValueId rows =
      b.constant("relative_position_index", {DType::i64, {pixels * pixels, 1}}, std::move(index));
  // As table[index] does: by coordinates, of which there is one.
  ValueId bias = b.add(graph::GatherElements{graph::IndexForm::nd}, {table, rows}, "getitem");
  bias = b.reshape(bias, {pixels, pixels, heads}, "view");
  bias = b.transpose(bias, {2, 0, 1}, "permute");
  bias = b.add(graph::Contiguous{}, {bias}, "contiguous");
  return b.reshape(bias, {1, heads, pixels, pixels}, "unsqueeze");
}

}  // namespace rooflab::zoo
