#pragma once

#include <fmt/core.h>

#include <string>
#include <utility>

#include "rooflab/base/text.hpp"

namespace rooflab {

/// fmt::format as an object instead of a function, so that a call with a std::string never competes
/// with std::format, which newer standard libraries bring in by argument-dependent lookup.
inline constexpr struct {
  template <class... Arguments>
  [[nodiscard]] std::string operator()(fmt::format_string<Arguments...> text,
                                       Arguments&&... arguments) const {
    return fmt::format(text, std::forward<Arguments>(arguments)...);
  }
} format;

}  // namespace rooflab
