#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rooflab::cli {

/// A whole number of 1 or more; throws Error (usage) that names the flag. `example` is the hint.
[[nodiscard]] std::int64_t positive(std::string_view text, std::string_view flag,
                                    std::string_view example);

/// A number above 0; throws Error (usage) that names the flag. `example` is the hint.
[[nodiscard]] double positive_number(std::string_view text, std::string_view flag,
                                     std::string_view example);

/// Throws Error (usage) `unknown WHAT 'GIVEN'` with the allowed words, the nearest first.
[[noreturn]] void throw_unknown(std::string_view what, const std::string& given,
                                const std::vector<std::string>& allowed);

}  // namespace rooflab::cli
