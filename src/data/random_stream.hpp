#pragma once

#include <cstdint>

namespace rooflab::data {

/// SplitMix64: random numbers that are equal with every standard library, unlike std's
/// distributions. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators",
/// OOPSLA 2014; constants as in S. Vigna's splitmix64.c.
class RandomStream {
 public:
  explicit RandomStream(std::uint64_t seed) : state_(seed) {}

  [[nodiscard]] std::uint64_t next() {
    std::uint64_t bits = state_ += 0x9e3779b97f4a7c15U;
    bits = (bits ^ (bits >> 30U)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27U)) * 0x94d049bb133111ebU;
    return bits ^ (bits >> 31U);
  }

  /// Next number x with 0 <= x < 1 and 53 random bits.
  [[nodiscard]] double unit() { return static_cast<double>(next() >> 11U) * 0x1p-53; }
  [[nodiscard]] double between(double low, double high) { return low + (high - low) * unit(); }

  /// Next number x with 0 <= x < limit; the bias is below limit / 2^64.
  [[nodiscard]] std::int64_t below(std::int64_t limit) {
    return static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(limit));
  }

 private:
  std::uint64_t state_;
};

/// Derives a seed for item `number` from a common seed.
[[nodiscard]] inline std::uint64_t derived_seed(std::uint64_t seed, std::uint64_t number) {
  return RandomStream(RandomStream(seed).next() ^ number).next();
}

}  // namespace rooflab::data
