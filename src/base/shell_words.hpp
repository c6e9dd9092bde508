#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooflab {

/// The words of a command line that is written as shell_line() writes it. nullopt: a shell would do
/// more with the line than start one program with these words.
[[nodiscard]] std::optional<std::vector<std::string>> shell_words(std::string_view line);

/// A command line from a file, to be shown to somebody who may paste it: as it is where it has
/// shell_words(), else as one quoted word, which a shell takes for the name of an unknown program.
[[nodiscard]] std::string harmless_command(const std::string& line);

}  // namespace rooflab
