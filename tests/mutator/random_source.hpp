#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>

namespace mutator {

/// Choices that a seed decides, the same on every machine.
class RandomSource {
 public:
  explicit RandomSource(std::uint64_t seed) : engine_(seed) {}

  /// 0 to end - 1; 0 where that is nothing.
  [[nodiscard]] std::size_t below(std::size_t end) {
    return end == 0 ? 0 : static_cast<std::size_t>(engine_() % end);
  }
  [[nodiscard]] bool one_in(std::size_t count) { return below(count) == 0; }
  template <class List>
  [[nodiscard]] const auto& any_of(const List& list) {
    return *(std::begin(list) + static_cast<std::ptrdiff_t>(below(std::size(list))));
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace mutator
