#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace rooflab::counters {

/// Places where `step` begins in `launches`; occurrences do not overlap.
[[nodiscard]] std::vector<std::size_t> places_among(std::span<const std::uint32_t> step,
                                                    std::span<const std::uint32_t> launches);

/// A step matched with launches of the same program that may differ from it in places.
struct LikeLaunches {
  /// Place of each launch of the step; nullopt: none. Empty: the step was not found.
  std::vector<std::optional<std::size_t>> places;
  std::int64_t others = 0;  ///< launches whose place has a kernel with another name
};

/// Finds the last place where exactly `step` was launched, else the most similar place by the names
/// of its kernels, if at least four of five are equal. Launches are numbers of signatures, whose
/// kernel `name_of` returns.
[[nodiscard]] LikeLaunches like_launches(
    std::span<const std::uint32_t> step, std::span<const std::uint32_t> launches,
    const std::function<std::uint32_t(std::uint32_t)>& name_of);

}  // namespace rooflab::counters
