#pragma once

#include <string>
#include <vector>

namespace rooflab {

/// A command line that a shell reads back as the same words, with single quotes where needed.
[[nodiscard]] std::string shell_line(const std::vector<std::string>& words);

}  // namespace rooflab
