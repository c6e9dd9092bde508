#include "figure_list.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "json_part.hpp"
#include "rooflab/base/assert.hpp"
#include "rooflab/study/quantity.hpp"

namespace rooflab::study {

void FigureList::add(std::string_view quantity, std::optional<double> value,
                     std::optional<double> low, std::optional<double> high) {
  if (!value) return;
  ROOFLAB_ASSERT(find_quantity(quantity) != nullptr && find(quantity) == nullptr);
  Figure figure{.quantity = std::string(quantity), .value = *value, .low = {}, .high = {}};
  if (low && high && *low <= *value && *value <= *high) {
    figure.low = low;
    figure.high = high;
  }
  figures_.push_back(std::move(figure));
}

void FigureList::add(std::string_view quantity, const Json& json, FigureKey key) {
  add(quantity, number_of(json, key));
}

void FigureList::add_rate(std::string_view quantity, std::optional<double> work) {
  const Figure* const time = find("time");
  if (!work || time == nullptr || time->value <= 0.0) return;
  const double value = *work / time->value;
  if (time->low && time->high && *time->low > 0.0) {
    add(quantity, value, *work / *time->high, *work / *time->low);
  } else {
    add(quantity, value);
  }
}

const Figure* FigureList::find(std::string_view quantity) const {
  const auto found = std::ranges::find(figures_, quantity, &Figure::quantity);
  return found == figures_.end() ? nullptr : &*found;
}

}  // namespace rooflab::study
