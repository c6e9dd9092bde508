#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "rooflab/record/kernel_table.hpp"

namespace rooflab::profile {

/// Fingerprint that is equal for launches of one kernel with equal grid, block and dynamic shared
/// memory, or of one graph, because these do equal work. It is a 64-bit hash, so that different
/// launches are practically never equal. Valid within one process only: it depends on the order of
/// bytes.
[[nodiscard]] inline std::uint64_t launch_fingerprint(std::string_view name,
                                                      const record::Extent& grid,
                                                      const record::Extent& block,
                                                      std::uint64_t shared_memory_bytes = 0,
                                                      std::uintptr_t graph = 0) {
  // Names have hundreds of letters and every launch is hashed, so eight letters are mixed at a
  // time. A product with an odd number keeps all mixed bits (Knuth's multiplicative hashing, 2^64
  // over the golden ratio); the shift brings the upper bits down again.
  std::uint64_t hash = name.size();
  const auto mix = [&hash](std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
    hash ^= hash >> 32U;
  };
  while (!name.empty()) {
    std::uint64_t word = 0;
    const std::size_t size = name.size() < sizeof(word) ? name.size() : sizeof(word);
    std::memcpy(&word, name.data(), size);
    name.remove_prefix(size);
    mix(word);
  }
  for (const record::Extent& extent : {grid, block}) {
    for (const std::uint32_t each : extent) mix(each);
  }
  mix(shared_memory_bytes);
  if (graph != 0) mix(graph);
  return hash;
}

}  // namespace rooflab::profile
