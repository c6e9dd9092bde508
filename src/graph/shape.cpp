#include "rooflab/graph/shape.hpp"

#include <algorithm>
#include <span>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/quantity.hpp"

namespace rooflab::graph {

std::int64_t Shape::elements() const {
  // An extent of 0 makes the tensor empty however large the others are.
  if (std::ranges::find(dims_, 0) != dims_.end()) return 0;
  return checked_product(dims_);
}

std::string Shape::to_string() const {
  if (dims_.empty()) return "scalar";
  std::string text = std::to_string(dims_.front());
  for (const std::int64_t dim : std::span(dims_).subspan(1)) text += "x" + std::to_string(dim);
  return text;
}

Shape broadcast(const Shape& a, const Shape& b) {
  const std::size_t rank = std::max(a.rank(), b.rank());
  std::vector<std::int64_t> dims(rank, 1);
  for (std::size_t distance = 1; distance <= rank; ++distance) {
    const std::int64_t left = distance <= a.rank() ? a.from_end(distance) : 1;
    const std::int64_t right = distance <= b.rank() ? b.from_end(distance) : 1;
    if (left != right && left != 1 && right != 1) {
      throw Error(ErrorKind::input, format("shapes {} and {} do not broadcast: {} against {}",
                                           a.to_string(), b.to_string(), left, right));
    }
    dims[rank - distance] = left == 1 ? right : left;
  }
  return Shape(std::move(dims));
}

}  // namespace rooflab::graph
