#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "rooflab/describe/parameter.hpp"

namespace rooflab {

/// A word with a flag: `--batch=3` is `--batch` with `3`, `-oFILE` is `-o` with `FILE`.
struct FlagWord {
  std::string name;
  std::optional<std::string> value;  ///< nullopt: the next word, or none
};
/// Splits a word with a flag; nullopt: the word is not a flag. `-` and `--` are not flags.
[[nodiscard]] std::optional<FlagWord> flag_word(std::string_view word);

/// Called with a word that has no parameter.
using UnknownWord = std::function<void(const std::string& word, bool is_flag)>;

/// Sorts the words of a command line by the parameters of a table; a list collects the words of all
/// its flags. After the first `--` all words are positionals. Values are taken literally, without a
/// meaning of quotes, brackets or escapes. Throws Error (usage) for a flag that lacks its value or
/// is given twice, with `more` as hint.
[[nodiscard]] GivenWords given_words(const Parameters& table, std::span<const std::string> words,
                                     const UnknownWord& unknown, const std::string& more);

}  // namespace rooflab
