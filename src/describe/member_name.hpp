#pragma once

#include <string_view>

namespace rooflab {

/// Name of a member, a member function or a function in the code: `steps_s` for `&Timing::steps_s`.
template <auto member>
[[nodiscard]] constexpr std::string_view member_name() {
  // `... [with auto member = &Timing::steps_s; ...]`; clang 14 does not have std::source_location.
  const std::string_view function = __PRETTY_FUNCTION__;
  constexpr std::string_view label = "member = ";
  const std::size_t begin = function.rfind(label) + label.size();
  const std::string_view path = function.substr(begin, function.find_first_of(";]", begin) - begin);
  return path.substr(path.find_last_of(":&") + 1);
}

}  // namespace rooflab
