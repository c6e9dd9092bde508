#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/format.hpp"

namespace rooflab::page {

/// The ASCII letters (in lower case) and digits of a text, with words joined by hyphens:
/// `where-the-time-went`. Empty where it has none.
[[nodiscard]] inline std::string slug(std::string_view text) {
  std::string words;
  bool apart = false;
  for (const char c : lowercase(text)) {
    const bool keeps = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (keeps) words += format("{}{}", apart && !words.empty() ? "-" : "", c);
    apart = !keeps;
  }
  return words;
}

/// Takes a name, with the lowest free number from 2 appended if it is already taken.
[[nodiscard]] inline std::string take_name(const std::string& name,
                                           std::vector<std::string>& taken) {
  std::string unique = name;
  for (int n = 2; std::ranges::find(taken, unique) != taken.end(); ++n) {
    unique = format("{}-{}", name, n);
  }
  taken.push_back(unique);
  return unique;
}

}  // namespace rooflab::page
