#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rooflab::predict {

/// A count that may grow, with its limits.
struct CountRange {
  std::int64_t least = 1;
  std::optional<std::int64_t> most = std::nullopt;  ///< nullopt: without an end
};

/// Result of a search for the largest count.
struct LargestCount {
  std::optional<std::int64_t> count;  ///< nullopt: not even the smallest fits
  bool end_of_range = false;          ///< the range's end came before the boundary
};

/// Begin of a search.
struct SearchStart {
  std::int64_t count = 0;
  std::int64_t step = 1;  ///< the first one away from there
};

/// The largest count for which `holds`, found by doubling steps from `start` (default: the
/// smallest) and then bisection; `holds` must not hold again beyond the first count for which it
/// does not. An Error (input), as for counts beyond 64 bits, is a count that does not hold. Asks
/// for about 2 log2 of the distance between start and result. Throws Error (usage) for a range
/// without a count.
[[nodiscard]] LargestCount largest_count(const CountRange& range,
                                         const std::function<bool(std::int64_t)>& holds,
                                         std::optional<SearchStart> start = std::nullopt);

/// The largest of several counts at once: what was varied, and the result.
struct FrontierPoint {
  std::string varied;                ///< `together`, `conv further`, `conv alone`; `batch`
  std::vector<std::int64_t> counts;  ///< nothing of `varied` can grow by one; empty: nothing fits
  bool end_of_range = false;
};

/// The frontier of several counts: all at their minimum and then grown together by the same number
/// of steps; from there each further by itself; and each alone with the others at their minimum.
/// One count has a single point. `expected`, a frontier of the same ranges, gives the beginning,
/// with steps of a fiftieth: for a `holds` that takes long.
[[nodiscard]] std::vector<FrontierPoint> frontier(
    std::span<const std::string> names, std::span<const CountRange> ranges,
    const std::function<bool(std::span<const std::int64_t>)>& holds,
    std::span<const FrontierPoint> expected = {});

}  // namespace rooflab::predict
