#pragma once

#include <optional>

namespace rooflab {

/// nullopt without both, and where there is nothing above zero to divide by.
[[nodiscard]] inline std::optional<double> quotient(const std::optional<double>& above,
                                                    const std::optional<double>& below) {
  if (!above || !below || *below <= 0.0) return std::nullopt;
  return *above / *below;
}

}  // namespace rooflab
