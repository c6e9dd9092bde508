#pragma once

#include <string>
#include <string_view>

#include "rooflab/base/json.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab {

/// The value at a place like `/epochs/0/train_s`, which is made where it is not there.
inline Json& json_place(Json& json, std::string_view place) {
  Json* at = &json;
  for (const std::string& step : split(place.substr(1), '/')) {
    at = at->is_array() ? &at->at(static_cast<std::size_t>(std::stoul(step))) : &(*at)[step];
  }
  return *at;
}

}  // namespace rooflab
