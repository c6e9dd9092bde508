#include "counted_sets.hpp"

#include <algorithm>

namespace rooflab::counters {
namespace {

double seconds_of(std::optional<std::int64_t> ns) {
  return static_cast<double>(ns.value_or(0)) / 1e9;
}

}  // namespace

CountedSets::CountedSets(ProfileFacts& facts, record::Counting& counting) : counting_(counting) {
  for (auto& [number, told] : facts.sets) {
    // Chosen, but the hardware never got so far.
    if (!told.wall_ns && told.rows.empty() && told.totals.empty()) continue;
    record::CounterSet set;
    set.metrics = told.metrics;
    set.per_kernel = told.unit == profile::CountedUnit::kernel;
    set.passes = told.passes;
    set.arming_s = seconds_of(told.arming_ns);
    set.wall_s = seconds_of(told.wall_ns);
    set.launches = std::max(told.launches, static_cast<std::int64_t>(told.rows.size()));
    set.dropped = told.dropped;
    // For a program that ended early: one set after the other, each armed after the one before.
    (counting.sets.empty() ? counting.arming_s : counting.wall_s) += set.arming_s;
    counting.wall_s += set.wall_s;
    for (const std::vector<double>& values : told.totals) {
      totals_.push_back({told.metrics, values});
    }
    if (set.per_kernel) take_launches(facts, told);
    counting.sets.push_back(std::move(set));
  }
  if (facts.counting_wall_ns) counting.wall_s = seconds_of(facts.counting_wall_ns);
  if (facts.counting_arming_ns) counting.arming_s = seconds_of(facts.counting_arming_ns);
}

void CountedSets::take_launches(const ProfileFacts& facts, FactsOfSet& set) {
  CountedLaunches& counted = launches_.emplace_back();
  counted.metrics = set.metrics;
  std::ranges::stable_sort(set.rows, {}, &CountedRow::ordinal);
  for (const CountedRow& row : set.rows) {
    // Without a signature it is like nothing: its number is that of none.
    const KernelSignature* const known = facts.signature(row.signature);
    counted.launches.push_back(known != nullptr ? known->like : row.signature);
    counted.values.insert(counted.values.end(), row.values.begin(), row.values.end());
  }
  set_of_launches_.push_back(counting_.sets.size());
}

std::int64_t CountedSets::merge_launches(record::KernelTable& kernels,
                                         std::span<const std::uint32_t> reference) {
  if (reference.empty()) return 0;
  const auto counts = merge_steps(kernels, reference, launches_);
  std::int64_t missing = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::int64_t& dropped = counting_.sets[set_of_launches_[i]].dropped;
    dropped = std::max(dropped, counts[i].missing);
    missing += dropped;
  }
  return missing;
}

void CountedSets::merge_totals(const std::string& process, int device) {
  if (totals_.empty()) return;
  record::KernelTable& step = counting_.step.emplace();
  record::KernelLaunch launch;
  launch.name = step.names.intern("(step)");
  launch.process = step.processes.intern(process);
  launch.device = device;
  counters::merge_totals(step, step.add(launch), totals_);
}

}  // namespace rooflab::counters
