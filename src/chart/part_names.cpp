#include "part_names.hpp"

#include <algorithm>

#include "palette.hpp"

namespace rooflab::chart {

void PartNames::add(const std::string& name, std::optional<int> color) {
  if (index_of(name) < size()) return;
  entries_.push_back({name, color});
  std::ranges::stable_sort(entries_, {},
                           [](const Entry& each) { return each.color.value_or(color_count); });
}

int PartNames::color(std::size_t index) const {
  return entries_[index].color.value_or(
      static_cast<int>(index % static_cast<std::size_t>(color_count)));
}

std::size_t PartNames::index_of(const std::string& name) const {
  return static_cast<std::size_t>(std::ranges::find(entries_, name, &Entry::name) -
                                  entries_.begin());
}

}  // namespace rooflab::chart
