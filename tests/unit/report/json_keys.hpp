#pragma once

#include <string>
#include <vector>

#include "rooflab/base/json.hpp"

namespace rooflab::report {

/// The keys of an object, in their order.
inline std::vector<std::string> keys_of(const Json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

}  // namespace rooflab::report
