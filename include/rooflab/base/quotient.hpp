#pragma once

#include <optional>

namespace rooflab {

/// The quotient; nullopt if one is missing, or if the divisor is not above zero.
[[nodiscard]] inline std::optional<double> quotient(const std::optional<double>& above,
                                                    const std::optional<double>& below) {
  if (!above || !below || *below <= 0.0) return std::nullopt;
  return *above / *below;
}

}  // namespace rooflab
