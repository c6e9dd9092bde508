#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooflab {

/// Splits a command line that shell_line() wrote into words. nullopt: a shell would do more with
/// the line than start one program with these words.
[[nodiscard]] std::optional<std::vector<std::string>> shell_words(std::string_view line);

/// Makes a command line from a file safe to show and paste: unchanged if it has shell_words(), else
/// as one quoted word, which a shell reads as the name of an unknown program.
[[nodiscard]] std::string harmless_command(const std::string& line);

}  // namespace rooflab
