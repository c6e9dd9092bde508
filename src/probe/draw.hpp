#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>

namespace rooflab::probe {

/// Pseudorandom numbers that are equal on every machine. Source: Steele, Lea, Flood, "Fast
/// splittable pseudorandom number generators", 2014 (splitmix64).
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  template <class T>
  T of(std::initializer_list<T> choices) {
    return choices.begin()[next() % choices.size()];
  }
  /// Draws a multiple of `step`, about uniformly in its logarithm.
  std::int64_t between(double least, double most, std::int64_t step = 1) {
    const double value = least * std::pow(most / least, uniform());
    return std::max(
        step, static_cast<std::int64_t>(std::llround(value / static_cast<double>(step))) * step);
  }

 private:
  std::uint64_t state_;
};

}  // namespace rooflab::probe
