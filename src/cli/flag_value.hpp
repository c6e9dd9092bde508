#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/precision.hpp"

namespace rooflab::cli {

/// A whole number of 1 or more; throws Error (usage) that names the flag. `example` is the hint.
[[nodiscard]] std::int64_t positive(std::string_view text, std::string_view flag,
                                    std::string_view example);

/// The same for what is kept in 32 bits: a larger number is taken for the largest.
[[nodiscard]] int positive_int(std::string_view text, std::string_view flag,
                               std::string_view example);

/// A number above 0; throws Error (usage) that names the flag. `example` is the hint.
[[nodiscard]] double positive_number(std::string_view text, std::string_view flag,
                                     std::string_view example);

/// What `--precision` takes, for the help of a command that takes one, and of one that takes
/// several.
inline constexpr const char* precision_help =
    "fp64, fp32 (the default), tf32, fp16, bf16, amp, amp-fp16 or amp-bf16";
inline constexpr const char* precisions_help =
    "fp64, fp32, tf32, fp16, bf16, amp, amp-fp16, amp-bf16, by commas (fp32)";
/// Throws Error (usage) for an unknown precision.
[[nodiscard]] Precision precision_value(std::string_view text);

/// Throws Error (usage) `unknown WHAT 'GIVEN'` with the allowed words, the nearest first.
[[noreturn]] void throw_unknown(std::string_view what, const std::string& given,
                                const std::vector<std::string>& allowed);

/// The value of that name; throws Error (usage) `unknown WHAT 'TEXT'`.
template <Named E>
[[nodiscard]] E value_named(std::string_view what, const std::string& text) {
  if (const std::optional<E> value = from_name<E>(text)) return *value;
  throw_unknown(what, text, names_of<E>());
}

}  // namespace rooflab::cli
