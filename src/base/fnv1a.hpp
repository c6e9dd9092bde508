#pragma once

#include <cstdint>
#include <string_view>

namespace rooflab {

/// FNV-1a, 64 bits: a hash that is equal on every machine and in every version, for files and
/// formulas. Not for secrets. To hash several pieces, pass the hash so far on to the next call.
/// Source: Fowler, Noll, Vo, http://www.isthe.com/chongo/tech/comp/fnv
[[nodiscard]] inline std::uint64_t fnv1a(std::string_view bytes,
                                         std::uint64_t hash = 0xcbf29ce484222325U) {
  for (const char byte : bytes) {
    hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  }
  return hash;
}

}  // namespace rooflab
