#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab {

/// `1 case`, `1,200 cases`: for words whose plural adds an s.
[[nodiscard]] std::string plural(std::integral auto count, std::string_view word) {
  return format("{} {}{}", with_thousands(static_cast<std::int64_t>(count)), word,
                count == 1 ? "" : "s");
}

}  // namespace rooflab
