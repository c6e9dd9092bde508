#pragma once

#include <string>
#include <vector>

namespace rooflab {

/// A command line that a shell reads back as the same words: what needs it is in single quotes.
[[nodiscard]] std::string shell_line(const std::vector<std::string>& words);

}  // namespace rooflab
