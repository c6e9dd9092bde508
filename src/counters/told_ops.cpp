#include "told_ops.hpp"

#include <algorithm>
#include <limits>
#include <unordered_map>

#include "like_launches.hpp"
#include "notes/counters_notes.hpp"

namespace rooflab::counters {
namespace {

/// A node's op is one op, and works each time that its graph is launched.
std::optional<record::ToldLaunch> told_of_node(const ProfileFacts& facts,
                                               const TracedKernel& kernel) {
  const auto found = kernel.node == 0 ? facts.nodes.end() : facts.nodes.find(kernel.node);
  if (found == facts.nodes.end()) return std::nullopt;
  record::ToldLaunch told = found->second;
  told.replay = kernel.correlation;
  return told;
}

std::optional<record::ToldOps> told_ops(const ProfileFacts& facts,
                                        std::vector<record::ToldLaunch> launches,
                                        bool part_of_run) {
  const bool any = std::ranges::any_of(launches, [](const record::ToldLaunch& launch) {
    return launch.recording >= 0 || launch.range >= 0;
  });
  if (!any) return std::nullopt;
  return record::ToldOps{facts.ops_in, facts.ranges, std::move(launches), part_of_run};
}

}  // namespace

std::optional<record::ToldOps> told_ops_of_step(const ProfileFacts& facts,
                                                const ReferenceStep& step,
                                                std::vector<Note>& warnings) {
  std::vector<record::ToldLaunch> launches(step.launches.size());
  std::vector<std::size_t> by_themselves;
  std::vector<std::uint32_t> signatures;
  for (std::size_t i = 0; i < step.launches.size(); ++i) {
    const TracedKernel* const traced =
        step.found.empty() ? nullptr : &facts.kernels[step.found.back() + i];
    if (traced == nullptr || traced->node == 0) {
      by_themselves.push_back(i);
      signatures.push_back(step.launches[i]);
    } else if (const auto told = told_of_node(facts, *traced)) {
      launches[i] = *told;
    }
  }
  if (!facts.op_launches.empty() && !signatures.empty()) {
    std::vector<std::uint32_t> told;
    for (const OpLaunch& launch : facts.op_launches) told.push_back(facts.like(launch.signature));
    // What a library chooses may depend on the place of a tensor in memory: another kernel then.
    const auto name_of = [&facts](std::uint32_t id) { return facts.signature(id)->name; };
    const LikeLaunches found = like_launches(signatures, told, name_of);
    if (found.places.empty()) {
      warnings.push_back({says.ops_of_other_steps});
    } else if (found.others > 0) {
      warnings.push_back(
          {says.ops_of_like_steps, {found.others, static_cast<std::int64_t>(signatures.size())}});
    }
    for (std::size_t i = 0; i < found.places.size(); ++i) {
      if (!found.places[i]) continue;
      launches[by_themselves[i]] = facts.op_launches[*found.places[i]].told;
    }
  }
  return told_ops(facts, std::move(launches), false);
}

std::optional<record::ToldOps> told_ops_of_part(const ProfileFacts& facts) {
  std::unordered_map<std::int64_t, const record::ToldLaunch*> by_correlation;
  std::int64_t first = std::numeric_limits<std::int64_t>::max();
  std::int64_t last = std::numeric_limits<std::int64_t>::min();
  for (const OpLaunch& launch : facts.op_launches) {
    if (!launch.correlation) continue;
    by_correlation[*launch.correlation] = &launch.told;
    first = std::min(first, *launch.correlation);
    last = std::max(last, *launch.correlation);
  }
  const bool part_of_run = !by_correlation.empty();
  const std::int32_t recording = part_of_run ? facts.op_launches.back().told.recording : -1;
  std::vector<record::ToldLaunch> launches;
  for (const TracedKernel& kernel : facts.kernels) {
    record::ToldLaunch& launch = launches.emplace_back();
    if (part_of_run && (kernel.correlation < first || kernel.correlation > last)) continue;
    launch.recording = recording;
    const auto told = by_correlation.find(kernel.correlation);
    if (const auto node = told_of_node(facts, kernel)) {
      launch = *node;
    } else if (told != by_correlation.end()) {
      launch = *told->second;
    }
  }
  return told_ops(facts, std::move(launches), part_of_run);
}

}  // namespace rooflab::counters
