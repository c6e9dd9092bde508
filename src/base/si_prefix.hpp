#pragma once

#include <array>
#include <string_view>

namespace rooflab {

struct SiPrefix {
  double factor;
  std::string_view symbol;
};
/// SI prefixes, largest first.
inline constexpr std::array si_prefixes = std::to_array<SiPrefix>({{1e18, "E"},
                                                                   {1e15, "P"},
                                                                   {1e12, "T"},
                                                                   {1e9, "G"},
                                                                   {1e6, "M"},
                                                                   {1e3, "k"},
                                                                   {1.0, ""},
                                                                   {1e-3, "m"},
                                                                   {1e-6, "u"},
                                                                   {1e-9, "n"}});

/// The largest prefix whose factor times `rounding` is at most the magnitude; `n` below all of
/// them.
[[nodiscard]] constexpr const SiPrefix& si_prefix(double magnitude, double rounding = 1.0) {
  for (const SiPrefix& each : si_prefixes) {
    if (magnitude >= each.factor * rounding) return each;
  }
  return si_prefixes.back();
}

}  // namespace rooflab
