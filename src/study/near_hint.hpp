#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rooflab::study {

/// Of an error about a name that there is not: the nearest one there is, else all of them.
[[nodiscard]] std::string near_hint(std::string_view given, std::span<const std::string> allowed);

/// Of all quantities.
[[nodiscard]] std::vector<std::string> quantity_names();

}  // namespace rooflab::study
