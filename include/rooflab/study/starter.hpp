#pragma once

#include <string_view>

namespace rooflab::study {

/// A study to begin with: small, complete, with a comment for each part.
[[nodiscard]] std::string_view starter();

}  // namespace rooflab::study
