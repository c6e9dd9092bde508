// The same step twice, with some other kernels the second time.
//
// Runs of a few names vote for where the step begins: a run that begins at i in the step and at j
// in the launches votes for j - i. Around the place with most votes, names are aligned with the
// fewest edits (a launch more, a launch less, another kernel in its place), where the launches may
// begin and end anywhere. An alignment may leave the diagonal by a twentieth of the step.
//
// Source: V. I. Levenshtein's distance by dynamic programming, in a band (E. Ukkonen, Algorithms
// for approximate string matching, Information and Control 64, 1985). When it is wrong: layers that
// are all alike, of which one more ran than before, may be aligned one layer off; the ops are the
// same.

#include "like_launches.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <unordered_map>

namespace rooflab::counters {
namespace {

using Names = std::vector<std::uint32_t>;

constexpr std::size_t run_length = 3;
constexpr std::size_t most_alike = 64;  // runs that a step repeats more often say nothing
constexpr std::int64_t least_band = 16;
constexpr std::int64_t most_band = 512;
constexpr std::int64_t band_share = 20;
constexpr double least_share = 0.8;

/// Where in `launches` the step most likely begins; negative: before them.
std::optional<std::int64_t> likely_begin(const Names& step, const Names& launches) {
  const std::size_t length = std::min(run_length, step.size());
  using Run = std::array<std::uint32_t, run_length>;
  const auto run_at = [length](const Names& names, std::size_t i) {
    Run run = {};
    std::copy_n(names.begin() + static_cast<std::ptrdiff_t>(i), length, run.begin());
    return run;
  };
  std::map<Run, std::vector<std::size_t>> runs;
  for (std::size_t i = 0; i + length <= step.size(); ++i) runs[run_at(step, i)].push_back(i);
  std::unordered_map<std::int64_t, std::int64_t> votes;
  for (std::size_t j = 0; j + length <= launches.size(); ++j) {
    const auto found = runs.find(run_at(launches, j));
    if (found == runs.end() || found->second.size() > most_alike) continue;
    for (const std::size_t i : found->second) {
      ++votes[static_cast<std::int64_t>(j) - static_cast<std::int64_t>(i)];
    }
  }
  std::optional<std::int64_t> best;
  for (const auto& [begin, count] : votes) {
    const bool more = !best || count > votes[*best] || (count == votes[*best] && begin > *best);
    if (more) best = begin;
  }
  return best;
}

/// The alignment of a step with launches around `begin`.
class Alignment {
 public:
  Alignment(const Names& step, const Names& launches, std::int64_t begin)
      : step_(step),
        launches_(launches),
        begin_(begin),
        band_(
            std::clamp(static_cast<std::int64_t>(step.size()) / band_share, least_band, most_band)),
        width_(static_cast<std::size_t>(2 * band_ + 1)),
        cost_((step.size() + 1) * width_, none) {
    fill();
  }

  [[nodiscard]] LikeLaunches best() const {
    LikeLaunches found;
    found.places.resize(step_.size());
    std::size_t d = 0;
    for (std::size_t each = 0; each < width_; ++each) {
      if (cost(step_.size(), each) < cost(step_.size(), d)) d = each;
    }
    if (cost(step_.size(), d) == none) return {};
    for (std::size_t i = step_.size(); i > 0;) {
      const std::int64_t j = place(i, d) - 1;  // the launch that the last one may be
      if (j >= 0 && cost(i, d) == pair_cost(i, d)) {
        --i;
        found.places[i] = static_cast<std::size_t>(j);
        if (step_[i] != launches_[static_cast<std::size_t>(j)]) ++found.others;
      } else if (d + 1 < width_ && cost(i, d) == add(cost(i - 1, d + 1))) {
        --i;
        ++d;
      } else {
        --d;
      }
    }
    return found;
  }

 private:
  static constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max();

  static std::int32_t add(std::int32_t cost) { return cost == none ? none : cost + 1; }
  [[nodiscard]] std::int32_t cost(std::size_t i, std::size_t d) const {
    return cost_[i * width_ + d];
  }
  /// Launches that lie before the place where `i` of the step have passed on the diagonal `d`.
  [[nodiscard]] std::int64_t place(std::size_t i, std::size_t d) const {
    return begin_ + static_cast<std::int64_t>(i + d) - band_;
  }
  /// The last launch of both is a pair.
  [[nodiscard]] std::int32_t pair_cost(std::size_t i, std::size_t d) const {
    const std::int64_t j = place(i, d) - 1;
    if (i == 0 || j < 0 || j >= static_cast<std::int64_t>(launches_.size())) return none;
    const std::int32_t before = cost(i - 1, d);
    return step_[i - 1] == launches_[static_cast<std::size_t>(j)] ? before : add(before);
  }

  void fill() {
    const auto all = static_cast<std::int64_t>(launches_.size());
    for (std::size_t i = 0; i <= step_.size(); ++i) {
      for (std::size_t d = 0; d < width_; ++d) {
        const std::int64_t j = place(i, d);
        if (j < 0 || j > all) continue;
        std::int32_t& least = cost_[i * width_ + d];
        if (i == 0) {
          least = 0;
          continue;
        }
        least = pair_cost(i, d);
        if (d + 1 < width_) least = std::min(least, add(cost(i - 1, d + 1)));
        if (d > 0) least = std::min(least, add(cost(i, d - 1)));
      }
    }
  }

  const Names& step_;
  const Names& launches_;
  const std::int64_t begin_;
  const std::int64_t band_;
  const std::size_t width_;
  std::vector<std::int32_t> cost_;  ///< rows: launches of the step; columns: diagonals
};

}  // namespace

std::vector<std::size_t> places_among(std::span<const std::uint32_t> step,
                                      std::span<const std::uint32_t> launches) {
  std::vector<std::size_t> places;
  if (step.empty()) return places;
  // Knuth, Morris and Pratt: steps repeat themselves inside.
  std::vector<std::size_t> borders(step.size(), 0);
  for (std::size_t i = 1, border = 0; i < step.size(); ++i) {
    while (border > 0 && step[i] != step[border]) border = borders[border - 1];
    if (step[i] == step[border]) ++border;
    borders[i] = border;
  }
  std::size_t matched = 0;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    while (matched > 0 && launches[i] != step[matched]) matched = borders[matched - 1];
    if (launches[i] == step[matched]) ++matched;
    if (matched < step.size()) continue;
    places.push_back(i + 1 - step.size());
    matched = 0;
  }
  return places;
}

LikeLaunches like_launches(std::span<const std::uint32_t> step,
                           std::span<const std::uint32_t> launches,
                           const std::function<std::uint32_t(std::uint32_t)>& name_of) {
  LikeLaunches found;
  if (const auto places = places_among(step, launches); !places.empty()) {
    for (std::size_t i = 0; i < step.size(); ++i) found.places.emplace_back(places.back() + i);
    return found;
  }
  const auto names_of = [&](std::span<const std::uint32_t> signatures) {
    Names names;
    for (const std::uint32_t id : signatures) names.push_back(name_of(id));
    return names;
  };
  const Names names = names_of(step);
  const Names launched = names_of(launches);
  const auto begin = names.empty() ? std::nullopt : likely_begin(names, launched);
  if (!begin) return found;
  found = Alignment(names, launched, *begin).best();
  const auto paired = static_cast<std::int64_t>(
      std::ranges::count_if(found.places, [](const auto& place) { return place.has_value(); }));
  if (static_cast<double>(paired - found.others) < least_share * static_cast<double>(step.size())) {
    return {};
  }
  return found;
}

}  // namespace rooflab::counters
