#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace rooflab::import::kineto {

/// 64 bytes of JSON as bit masks: bit i is byte i.
struct TextBlock {
  static constexpr std::size_t width = 64;

  std::uint64_t quotes = 0;
  std::uint64_t backslashes = 0;
  std::uint64_t line_feeds = 0;
  std::uint64_t opening = 0;  ///< { and [
  std::uint64_t closing = 0;  ///< } and ]

  /// Reads the 64 bytes at `text`.
  explicit TextBlock(const char* text) {
    // In ASCII a brace is the bracket with bit 5 set.
#if defined(__SSE2__)  // GCC's and clang's vectors, which need no header of the processor's
    using Lane = char __attribute__((vector_size(16)));
    for (std::size_t i = 0; i < width; i += sizeof(Lane)) {
      Lane bytes;
      std::memcpy(&bytes, text + i, sizeof bytes);
      const Lane braces = bytes | static_cast<char>(0x20);
      const auto mask = [i](Lane where, char what) {
        const auto bits = static_cast<std::uint32_t>(
            __builtin_ia32_pmovmskb128(reinterpret_cast<Lane>(where == what)));
        return std::uint64_t{bits} << i;
      };
      quotes |= mask(bytes, '"');
      backslashes |= mask(bytes, '\\');
      line_feeds |= mask(bytes, '\n');
      opening |= mask(braces, '{');
      closing |= mask(braces, '}');
    }
#else
    for (std::size_t i = 0; i < width; ++i) {
      const auto brace = static_cast<char>(static_cast<unsigned char>(text[i]) | 0x20U);
      quotes |= std::uint64_t{text[i] == '"'} << i;
      backslashes |= std::uint64_t{text[i] == '\\'} << i;
      line_feeds |= std::uint64_t{text[i] == '\n'} << i;
      opening |= std::uint64_t{brace == '{'} << i;
      closing |= std::uint64_t{brace == '}'} << i;
    }
#endif
  }
};

/// Prefix parity: bit i of the result tells whether the number of set bits up to and including i is
/// odd.
[[nodiscard]] inline std::uint64_t parity_up_to(std::uint64_t bits) {
  for (unsigned shift = 1; shift < TextBlock::width; shift *= 2) bits ^= bits << shift;
  return bits;
}

}  // namespace rooflab::import::kineto
