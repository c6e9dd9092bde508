#pragma once

#include <algorithm>
#include <string>
#include <vector>

namespace rooflab::chart {

/// Names in the order in which they were first seen.
using Names = std::vector<std::string>;

/// Adds a name that the list does not have.
inline void add_name(Names& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

/// Adds a name that is not empty and that the list does not have.
inline void add_known(Names& names, const std::string& name) {
  if (!name.empty()) add_name(names, name);
}

}  // namespace rooflab::chart
