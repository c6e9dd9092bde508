#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "rooflab/base/text.hpp"
#include "rooflab/graph/graph.hpp"

/// Words and characters of the text form, for its writer and reader.
namespace rooflab::graph {

/// Whether a name with this character needs no quotes.
constexpr bool is_bare(char c) {
  return is_letter(c) || is_digit(c) || c == '_' || c == '.' || c == '/' || c == ':' || c == '-';
}

constexpr std::string_view training_only_word = "training_only";
constexpr std::string_view holds_word = "holds";
constexpr std::string_view issued_as_word = "issued_as";
constexpr std::string_view outputs_word = "outputs";

/// Words in the order of ValueKind; results have no separate lines.
constexpr std::array<std::string_view, 4> kind_words = {"input", "parameter", "buffer", "constant"};
static_assert(static_cast<std::size_t>(ValueKind::constant) + 1 == kind_words.size());

template <class Enum, std::size_t N>
std::optional<Enum> enum_from_word(const std::array<std::string_view, N>& words,
                                   std::string_view word) {
  for (std::size_t i = 0; i < N; ++i) {
    if (words[i] == word) return static_cast<Enum>(i);
  }
  return std::nullopt;
}

}  // namespace rooflab::graph
