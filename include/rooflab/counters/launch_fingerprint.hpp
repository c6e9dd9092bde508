#pragma once

#include <cstdint>
#include <string_view>

#include "rooflab/record/kernel_table.hpp"

namespace rooflab::counters {

/// Equal for launches of the same kernel with the same grid and block, which do the same work;
/// 64 bits of a hash, so that different ones are as good as never equal.
[[nodiscard]] constexpr std::uint64_t launch_fingerprint(std::string_view name,
                                                         const record::Extent& grid,
                                                         const record::Extent& block) {
  // FNV-1a, Fowler, Noll and Vo, with 64 bits.
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto mix = [&hash](std::uint64_t value) { hash = (hash ^ value) * 0x100000001b3U; };
  for (const char letter : name) mix(static_cast<unsigned char>(letter));
  for (const record::Extent& extent : {grid, block}) {
    for (const std::uint32_t each : extent) mix(each);
  }
  return hash;
}

}  // namespace rooflab::counters
