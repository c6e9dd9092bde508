#include "near_hint.hpp"

#include "rooflab/base/text.hpp"
#include "rooflab/study/quantity.hpp"

namespace rooflab::study {

std::string near_hint(std::string_view given, std::span<const std::string> allowed) {
  const std::optional<std::string> near = nearest(given, allowed);
  return near ? format("did you mean '{}'?", *near) : format("one of {}", join(allowed, ", "));
}

std::vector<std::string> quantity_names() {
  std::vector<std::string> names;
  for (const Quantity& each : quantities()) names.emplace_back(each.name);
  return names;
}

}  // namespace rooflab::study
