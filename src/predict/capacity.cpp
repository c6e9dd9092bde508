// Tensors only grow with a batch or a chain, so what must be alive at once holds up to a boundary
// and not beyond. What the allocator reserves for them may fall (docs/methods/memory.md, measured
// in PyTorch too), and so may a workspace, where a library takes another algorithm for a larger
// batch: then the boundary is ragged, and counts around it are asked, too.
//
// From a first count the step doubles until it does not fit (or upwards from below when the start
// itself does not), then the gap between the last that fits and the first that does not is halved.
// With d between start and boundary that is log2 d steps of doubling and as many of halving.

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/predict/limit.hpp"

namespace rooflab::predict {
namespace {

/// Where nothing else ends a search.
constexpr std::int64_t last_count = std::int64_t{1} << 40;

/// What the question says; what is empty where the count is out of range. Any other error is not
/// about memory (a file that cannot be rebatched): it says nothing about which counts hold.
template <class Answer>
Answer asks(const std::function<Answer(std::int64_t)>& question, std::int64_t count) {
  try {
    return question(count);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::range) throw;
    return {};
  }
}

}  // namespace

LargestCount largest_count(const CountRange& range, const std::function<bool(std::int64_t)>& holds,
                           std::optional<SearchStart> start) {
  const std::int64_t least = range.least;
  const std::int64_t most = range.most.value_or(last_count);
  if (least > most) {
    throw Error(ErrorKind::usage, format("a range from {} to {} holds no count", least, most));
  }
  const SearchStart from = start.value_or(SearchStart{least, 1});
  std::int64_t fits = std::clamp(from.count, least, most);
  std::int64_t fails = most + 1;
  std::int64_t step = std::max<std::int64_t>(from.step, 1);
  if (asks(holds, fits)) {
    while (fits < most) {
      const std::int64_t next = std::min(fits + step, most);
      if (!asks(holds, next)) {
        fails = next;
        break;
      }
      fits = next;
      step *= 2;
    }
    if (fits == most) return {fits, range.most.has_value()};
  } else {
    while (true) {
      fails = fits;
      if (fails == least) return {std::nullopt, false};
      fits = std::max(least, fails - step);
      if (asks(holds, fits)) break;
      step *= 2;
    }
  }
  while (fails - fits > 1) {
    const std::int64_t middle = fits + (fails - fits) / 2;
    (asks(holds, middle) ? fits : fails) = middle;
  }
  return {fits, false};
}

namespace {

/// Distances from a boundary at which to ask: 1, 2, 3, 5, 8, ..., each half as much again.
std::int64_t next_distance(std::int64_t distance) { return distance + (distance + 1) / 2; }

/// The last count that holds below the first one that was seen to fail below `boundary`, one less
/// than the least where none holds; nullopt: none was seen to fail.
std::optional<std::int64_t> boundary_below(std::int64_t least, std::int64_t boundary,
                                           const std::function<bool(std::int64_t)>& holds) {
  std::int64_t distance = 1;
  for (; boundary - distance >= least; distance = next_distance(distance)) {
    if (!asks(holds, boundary - distance)) break;
  }
  if (boundary - distance < least) return std::nullopt;
  std::int64_t fails = boundary - distance;
  std::int64_t held = least - 1;
  while (distance = next_distance(distance), boundary - distance >= least) {
    if (asks(holds, boundary - distance)) {
      held = boundary - distance;
      break;
    }
    fails = boundary - distance;
  }
  while (fails - held > 1) {
    const std::int64_t middle = held + (fails - held) / 2;
    (asks(holds, middle) ? held : fails) = middle;
  }
  return held;
}

auto search_of(Boundary boundary) {
  return boundary == Boundary::sharp ? largest_count : every_count_up_to;
}

/// `counts` with another one at a place; without one, nothing.
std::vector<std::int64_t> with_count(std::vector<std::int64_t> counts, std::size_t place,
                                     std::optional<std::int64_t> count) {
  if (!count) return {};
  counts[place] = *count;
  return counts;
}

}  // namespace

LargestCount every_count_up_to(const CountRange& range,
                               const std::function<bool(std::int64_t)>& holds,
                               std::optional<SearchStart> start) {
  LargestCount found = largest_count(range, holds, start);
  if (!found.count) return found;
  const std::int64_t boundary = *found.count;
  while (const auto below = boundary_below(range.least, *found.count, holds)) {
    found.end_of_range = false;
    found.count = *below < range.least ? std::nullopt : below;
    if (!found.count) break;
  }
  const std::int64_t most =
      std::min(range.most.value_or(last_count), boundary < last_count ? 2 * boundary : boundary);
  std::int64_t last = boundary;
  for (std::int64_t distance = 2; distance <= most - boundary; distance = next_distance(distance)) {
    if (asks(holds, boundary + distance)) last = boundary + distance;
  }
  if (last != found.count) found.further = last;
  return found;
}

std::optional<SearchStart> proportional_start(
    const CountRange& range, const std::function<std::optional<double>(std::int64_t)>& used,
    double room) {
  const std::int64_t most = range.most.value_or(last_count);
  struct Asked {
    std::int64_t count;
    double used;
  };
  std::optional<Asked> before;
  std::optional<Asked> last;
  const auto ask = [&](std::int64_t count) {
    const std::optional<double> answer = asks(used, count);
    if (answer) before = std::exchange(last, Asked{count, *answer});
    return answer.has_value();
  };
  constexpr std::int64_t growth = 64;
  // Memory goes in blocks: the guess is rarely right to the last digit.
  const auto start_at = [](std::int64_t count) { return SearchStart{count, 1 + count / 4096}; };
  for (std::int64_t count = range.least; ask(count) && last->used < room / growth;) {
    if (count > most / growth) break;
    count *= growth;
  }
  for (int improvements = 0; improvements < 2; ++improvements) {
    if (!before || last->used <= before->used) break;
    const double slope =
        (last->used - before->used) / static_cast<double>(last->count - before->count);
    const double more = (room - last->used) / slope;
    if (!(std::abs(more) < static_cast<double>(most - last->count))) break;
    const std::int64_t guess = last->count + static_cast<std::int64_t>(more);
    if (guess <= before->count || guess == last->count) break;
    if (!ask(guess)) return start_at(guess);
  }
  return last ? std::optional(start_at(last->count)) : std::nullopt;
}

std::vector<FrontierPoint> frontier(std::span<const std::string> names,
                                    std::span<const CountRange> ranges,
                                    const std::function<bool(std::span<const std::int64_t>)>& holds,
                                    std::span<const FrontierPoint> expected,
                                    std::optional<SearchStart> start, Boundary boundary) {
  const auto search = search_of(boundary);
  std::vector<std::int64_t> least;
  std::int64_t steps = last_count;  // until every range has come to its end
  bool bounded = true;
  std::int64_t longest = 0;
  for (const CountRange& range : ranges) {
    least.push_back(range.least);
    bounded = bounded && range.most.has_value();
    if (range.most) longest = std::max(longest, *range.most - range.least);
  }
  if (bounded) steps = longest;

  const auto grown = [&](std::int64_t by) {
    std::vector<std::int64_t> counts = least;
    for (std::size_t i = 0; i < counts.size(); ++i) {
      counts[i] = std::min(counts[i] + by, ranges[i].most.value_or(last_count));
    }
    return counts;
  };
  const auto start_at = [&](const std::string& title,
                            std::size_t count_of) -> std::optional<SearchStart> {
    const auto known = std::ranges::find(expected, title, &FrontierPoint::varied);
    if (known == expected.end() || known->counts.empty()) return std::nullopt;
    const std::int64_t count = known->counts[count_of];
    return SearchStart{count, count / 50};
  };
  const auto further = [&](std::size_t varied, const std::vector<std::int64_t>& from,
                           const std::string& title,
                           std::optional<SearchStart> begin = std::nullopt) -> FrontierPoint {
    const LargestCount found = search(
        {from[varied], ranges[varied].most},
        [&](std::int64_t count) { return holds(with_count(from, varied, count)); },
        begin ? begin : start_at(title, varied));
    return {title, with_count(from, varied, found.count), found.end_of_range,
            with_count(from, varied, found.further)};
  };

  if (ranges.size() == 1) return {further(0, least, names[0], start)};
  std::vector<FrontierPoint> points;
  // Steps are counted from the least; the longest range gives their number.
  start.reset();
  for (std::size_t k = 0; k < ranges.size(); ++k) {
    const auto of_count = start_at("together", k);
    if (!of_count) continue;
    const std::int64_t by = of_count->count - least[k];
    if (!start || by > start->count) start = SearchStart{by, of_count->step};
  }
  const LargestCount together = search(
      {0, bounded ? std::optional(steps) : std::nullopt},
      [&](std::int64_t by) { return holds(grown(by)); }, start);
  points.push_back({"together", {}, together.end_of_range});
  if (together.further) points.front().further = grown(*together.further);
  if (!together.count) return points;
  const std::vector<std::int64_t> corner = grown(*together.count);
  points.front().counts = corner;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    points.push_back(further(i, corner, format("{} further", names[i])));
  }
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    points.push_back(further(i, least, format("{} alone", names[i])));
  }
  return points;
}

std::vector<FrontierPoint> size_frontier(
    std::span<const std::string> names, std::span<const CountRange> ranges,
    std::span<const std::int64_t> given,
    const std::function<bool(std::span<const std::int64_t>)>& holds,
    std::span<const FrontierPoint> expected, Boundary boundary) {
  const auto near = [](std::int64_t count) { return SearchStart{count, count / 50}; };
  const auto search = [&](std::string title, std::size_t varied, std::int64_t of_other,
                          std::optional<SearchStart> start = std::nullopt) {
    const std::vector<std::int64_t> from(2, of_other);
    const auto known = std::ranges::find(expected, title, &FrontierPoint::varied);
    if (known != expected.end() && !known->counts.empty()) start = near(known->counts[varied]);
    const LargestCount found = search_of(boundary)(
        ranges[varied], [&](std::int64_t count) { return holds(with_count(from, varied, count)); },
        start);
    return FrontierPoint{std::move(title), with_count(from, varied, found.count),
                         found.end_of_range, with_count(from, varied, found.further)};
  };
  std::vector<FrontierPoint> points = {search(names[0], 0, given[1]),
                                       search(names[1], 1, given[0])};
  // The same counts of the first as in the frontier that is expected.
  const std::vector<std::int64_t> first =
      expected.empty() ? points.front().counts : expected.front().counts;
  if (first.empty()) return points;
  constexpr std::int64_t factor = 4;
  for (std::int64_t count = ranges[0].least; count <= first[0]; count *= factor) {
    // What a batch takes is about in proportion to both.
    std::optional<SearchStart> start;
    const FrontierPoint& before = points.back();
    if (!before.counts.empty()) {
      start = near(static_cast<std::int64_t>(static_cast<double>(before.counts[1]) *
                                             static_cast<double>(before.counts[0]) /
                                             static_cast<double>(count)));
    }
    points.push_back(search(format("{} at {} {}", names[1], names[0], count), 1, count, start));
    if (count > last_count / factor) break;
  }
  return points;
}

}  // namespace rooflab::predict
