#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace rooflab::counters {

/// Where `step` begins in `launches`; occurrences do not overlap.
[[nodiscard]] std::vector<std::size_t> places_among(std::span<const std::uint32_t> step,
                                                    std::span<const std::uint32_t> launches);

/// A step within launches of the same program that may differ from it here and there.
struct LikeLaunches {
  /// For each launch of the step its place; nullopt: it has none. Empty: the step was not found.
  std::vector<std::optional<std::size_t>> places;
  std::int64_t others = 0;  ///< launches whose place has a kernel of another name
};

/// Finds the last place where `step` was launched as it is, or else the place that is most like it
/// by the names of its kernels, if at least four of five are the same. Launches are numbers of
/// signatures, of which `name_of` tells the kernel.
[[nodiscard]] LikeLaunches like_launches(
    std::span<const std::uint32_t> step, std::span<const std::uint32_t> launches,
    const std::function<std::uint32_t(std::uint32_t)>& name_of);

}  // namespace rooflab::counters
