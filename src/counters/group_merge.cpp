// The counters of some launches of a group become sums over all of them. Each set of metrics was
// read on other launches, so each metric has its own mean and error (record/counted_groups.cpp
// has the formulas). Where a group executed no instruction on the tensor pipe, and the chip has no
// other unit for it, its tensor operations are zero without being counted.

#include "group_merge.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <string>
#include <vector>

#include "profile/sample_moments.hpp"
#include "record/counter_metric.hpp"
#include "step_merge.hpp"

namespace rooflab::counters {
namespace {

using profile::SampleMoments;
using record::KernelFigure;

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

/// One figure of a kernel's groups, as src/record/counted_groups.cpp estimates it.
struct RatioEstimate {
  std::vector<double> means;    ///< a launch of each group that has the figure
  std::vector<double> blocks;   ///< blocks of that grid
  double blocks_without = 0.0;  ///< all launches of the groups that lack it

  [[nodiscard]] static double all(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0);
  }
  [[nodiscard]] double ratio() const { return all(means) / all(blocks); }
  [[nodiscard]] double sum() const { return ratio() * blocks_without; }
  [[nodiscard]] std::optional<double> error() const {
    if (means.size() < 2) return std::nullopt;
    const double r = ratio();
    double squares = 0.0;
    for (std::size_t i = 0; i < means.size(); ++i) {
      squares += (means[i] - r * blocks[i]) * (means[i] - r * blocks[i]);
    }
    const auto c = static_cast<double>(means.size());
    return blocks_without / (all(blocks) / c) * std::sqrt(squares / (c - 1.0) / c);
  }
};

RatioEstimate ratio_estimate(const record::CountedGroups& groups, std::span<const std::size_t> rows,
                             KernelFigure figure) {
  RatioEstimate result;
  for (const std::size_t row : rows) {
    const record::Extent& grid = groups.totals.launch(row).grid;
    const double blocks = static_cast<double>(grid[0]) * grid[1] * grid[2];
    const auto launches = static_cast<double>(groups.groups[row].launches);
    if (const std::optional<double> total = groups.totals.at(figure, row)) {
      result.means.push_back(*total / launches);
      result.blocks.push_back(blocks);
    } else {
      result.blocks_without += launches * blocks;
    }
  }
  return result;
}

/// Instructions of the tensor pipe, without those that are known to do no matrix work.
std::optional<double> matrix_instructions(const record::KernelTable& kernels, std::size_t row) {
  const auto pipe = kernels.at(KernelFigure::tensor_pipe_instructions, row);
  if (!pipe) return std::nullopt;
  return *pipe - kernels.at(KernelFigure::tensor_pipe_moves, row).value_or(0.0);
}

/// The figure is known of groups without instructions on the tensor pipe alone, and others have
/// some: that they do no matrix work does not follow.
bool only_idle(const record::CountedGroups& groups, std::span<const std::size_t> rows,
               KernelFigure figure) {
  bool some_work = false;
  for (const std::size_t row : rows) {
    if (matrix_instructions(groups.totals, row).value_or(0.0) == 0.0) continue;
    if (groups.totals.at(figure, row)) return false;
    some_work = true;
  }
  return some_work;
}

/// Some counter of the launch itself was read.
bool has_counters_of(const record::KernelTable& kernels, std::size_t row) {
  return std::ranges::any_of(values_of<KernelFigure>, [&](KernelFigure figure) {
    return !record::is_derived(figure) && figure != KernelFigure::time_s &&
           record::facts_of(figure).fold == record::Fold::sum && kernels.at(figure, row);
  });
}

}  // namespace

GroupMerge::GroupMerge(const ProfileFacts& facts, const std::string& chip, bool of_step) {
  const bool none_counted = std::ranges::none_of(facts.sets, [of_step](const auto& entry) {
    return entry.second.of_step == of_step && !entry.second.single.empty();
  });
  if (none_counted) return;
  groups_.chip = chip;
  constexpr double nanoseconds = 1e9;
  groups_.window_s = static_cast<double>(facts.launched_ns) / nanoseconds;
  groups_.held_s = static_cast<double>(facts.held_ns) / nanoseconds;
  add_groups(facts);
  add_times(facts);
  add_counters(facts, of_step);
  add_idle_tensor_types(chip);
  add_estimates();
}

std::size_t GroupMerge::row_of(const ProfileFacts& facts, std::uint32_t id) {
  const KernelSignature& signature = *facts.signature(id);
  const auto [known, is_new] = rows_.try_emplace(signature.like, groups_.groups.size());
  if (is_new) {
    record::KernelLaunch launch;
    launch.name = signature.name;
    launch.grid = signature.grid;
    launch.block = signature.block;
    launch.launch = static_cast<std::int64_t>(signature.like);
    groups_.totals.add(launch);
    groups_.errors.add(launch);
    groups_.groups.emplace_back();
  }
  return known->second;
}

void GroupMerge::add_groups(const ProfileFacts& facts) {
  groups_.totals.names = facts.names;
  groups_.errors.names = facts.names;
  for (std::uint32_t id = 0; id < facts.launched.size(); ++id) {
    if (facts.launched[id] == 0 || facts.signature(id) == nullptr) continue;
    groups_.groups[row_of(facts, id)].launches += facts.launched[id];
  }
}

/// Kernels of graphs are not launched by separate calls: they count as often as they were seen.
void GroupMerge::add_times(const ProfileFacts& facts) {
  std::map<std::size_t, SampleMoments> times;
  for (const TracedKernel& kernel : facts.kernels) {
    constexpr double nanoseconds = 1e9;
    if (kernel.duration_ns < 0) continue;
    times[row_of(facts, kernel.signature)].add(static_cast<double>(kernel.duration_ns) /
                                               nanoseconds);
  }
  for (const auto& [row, moments] : times) {
    record::GroupLaunches& group = groups_.groups[row];
    group.timed_launches = moments.count;
    group.launches = std::max(group.launches, moments.count);
    const auto launches = static_cast<double>(group.launches);
    groups_.totals.set(KernelFigure::time_s, row, *moments.sum(launches));
    if (const std::optional<double> error = moments.error(launches)) {
      groups_.errors.set(KernelFigure::time_s, row, *error);
    }
  }
}

void GroupMerge::add_counters(const ProfileFacts& facts, bool of_step) {
  std::vector<CountedLaunches> totals;
  std::vector<CountedLaunches> errors;
  for (const auto& [number, set] : facts.sets) {
    if (set.of_step != of_step) continue;
    std::map<std::size_t, std::vector<SampleMoments>> counted;
    std::map<std::size_t, std::int64_t> launches_of;
    for (const CountedLaunch& launch : set.single) {
      const std::size_t row = row_of(facts, launch.signature);
      std::vector<SampleMoments>& moments = counted[row];
      moments.resize(set.metrics.size());
      bool some = false;
      for (std::size_t i = 0; i < set.metrics.size(); ++i) {
        if (std::isnan(launch.values[i])) continue;
        moments[i].add(launch.values[i]);
        some = true;
      }
      if (some) ++launches_of[row];
    }
    if (counted.empty()) continue;
    CountedLaunches& sums = totals.emplace_back(CountedLaunches{set.metrics, {}, {}});
    CountedLaunches& doubts = errors.emplace_back(CountedLaunches{set.metrics, {}, {}});
    for (const auto& [row, moments] : counted) {
      record::GroupLaunches& group = groups_.groups[row];
      group.counted_launches = std::max(group.counted_launches, launches_of[row]);
      group.launches = std::max(group.launches, group.counted_launches);
      has_counters_ = has_counters_ || launches_of[row] > 0;
      sums.launches.push_back(static_cast<std::uint32_t>(row));
      doubts.launches.push_back(static_cast<std::uint32_t>(row));
      for (std::size_t i = 0; i < set.metrics.size(); ++i) {
        const bool adds_up = set.metrics[i].ends_with(".sum");
        const double launches = adds_up ? static_cast<double>(group.launches) : 1.0;
        sums.values.push_back(moments[i].sum(launches).value_or(unknown));
        doubts.values.push_back(adds_up ? moments[i].error(launches).value_or(unknown) : unknown);
      }
    }
  }
  std::vector<std::uint32_t> all(groups_.groups.size());
  for (std::uint32_t row = 0; row < all.size(); ++row) all[row] = row;
  (void)merge_steps(groups_.totals, all, totals);
  (void)merge_steps(groups_.errors, all, errors);
}

void GroupMerge::add_idle_tensor_types(const std::string& chip) {
  if (!record::tensor_pipe_tells(chip)) return;
  for (const std::string& metric : record::tensor_metrics_of(chip)) {
    const auto type = record::tensor_figure_of(metric);
    if (!type) continue;
    for (std::size_t row = 0; row < groups_.groups.size(); ++row) {
      const bool idle = matrix_instructions(groups_.totals, row) == 0.0;
      if (!idle || groups_.totals.at(*type, row)) continue;
      groups_.totals.set(*type, row, 0.0);
      groups_.errors.set(*type, row, 0.0);
    }
  }
}

void GroupMerge::add_estimates() {
  std::map<record::NameTable::Id, std::vector<std::size_t>> rows_of_name;
  for (std::size_t row = 0; row < groups_.groups.size(); ++row) {
    rows_of_name[groups_.totals.name_id(row)].push_back(row);
  }
  groups_.estimates.names = groups_.totals.names;
  groups_.estimate_errors.names = groups_.totals.names;
  for (const auto& [name, rows] : rows_of_name) {
    std::optional<std::size_t> estimate;
    for (const KernelFigure figure : values_of<KernelFigure>) {
      const bool adds_up = record::facts_of(figure).fold == record::Fold::sum;
      if (record::is_derived(figure) || !adds_up || figure == KernelFigure::time_s) continue;
      if (record::is_tensor_type(figure) && only_idle(groups_, rows, figure)) continue;
      const RatioEstimate ratio = ratio_estimate(groups_, rows, figure);
      if (ratio.means.empty() || ratio.blocks_without <= 0.0) continue;
      if (!estimate) {
        record::KernelLaunch launch;
        launch.name = name;
        estimate = groups_.estimates.add(launch);
        groups_.estimate_errors.add(launch);
      }
      groups_.estimates.set(figure, *estimate, ratio.sum());
      if (const auto error = ratio.error()) {
        groups_.estimate_errors.set(figure, *estimate, *error);
      }
    }
  }
}

std::int64_t GroupMerge::fill(record::KernelTable& kernels, std::span<const std::uint32_t> likes,
                              std::span<const KernelFigure> without) const {
  std::int64_t filled = 0;
  for (std::size_t row = 0; row < likes.size(); ++row) {
    const auto known = rows_.find(likes[row]);
    if (known == rows_.end()) continue;
    const std::size_t group = known->second;
    const auto launches = static_cast<double>(groups_.groups[group].launches);
    if (has_counters_of(kernels, row)) continue;
    bool some = false;
    for (const KernelFigure figure : values_of<KernelFigure>) {
      if (record::is_derived(figure) || figure == KernelFigure::time_s) continue;
      if (std::ranges::find(without, figure) != without.end()) continue;
      const std::optional<double> total = groups_.totals.at(figure, group);
      if (!total) continue;
      const bool adds_up = record::facts_of(figure).fold == record::Fold::sum;
      kernels.set(figure, row, adds_up ? *total / launches : *total);
      some = true;
    }
    if (some) ++filled;
  }
  return filled;
}

}  // namespace rooflab::counters
