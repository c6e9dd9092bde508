#pragma once

#include <string>
#include <string_view>
#include <vector>

/// The keys of one of the program's JSON texts that its vocabulary does not have, by their place:
/// `cases[].limitTime`. Nothing for any other text.
[[nodiscard]] std::vector<std::string> unknown_keys(std::string_view text);
