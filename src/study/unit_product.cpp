#include "unit_product.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace rooflab::study {

UnitProduct::UnitProduct(std::string_view symbol) {
  const std::vector<std::string> parts = split(symbol, '/');
  if (parts.front() != "1" && !parts.front().empty()) above_.push_back(parts.front());
  below_.assign(parts.begin() + 1, parts.end());
}

UnitProduct& UnitProduct::operator*=(const UnitProduct& other) {
  above_.insert(above_.end(), other.above_.begin(), other.above_.end());
  below_.insert(below_.end(), other.below_.begin(), other.below_.end());
  cancel();
  return *this;
}

UnitProduct& UnitProduct::operator/=(const UnitProduct& other) {
  UnitProduct inverse;
  inverse.above_ = other.below_;
  inverse.below_ = other.above_;
  return *this *= inverse;
}

void UnitProduct::cancel() {
  for (auto each = above_.begin(); each != above_.end();) {
    const auto same = std::ranges::find(below_, *each);
    if (same == below_.end()) {
      ++each;
      continue;
    }
    below_.erase(same);
    each = above_.erase(each);
  }
  std::ranges::sort(above_);
  std::ranges::sort(below_);
}

std::string UnitProduct::symbol() const {
  if (below_.empty()) return join(above_, " ");
  return format("{}/{}", above_.empty() ? "1" : join(above_, " "), join(below_, "/"));
}

}  // namespace rooflab::study
