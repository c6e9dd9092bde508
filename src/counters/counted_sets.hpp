#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "profile_facts.hpp"
#include "step_merge.hpp"

namespace rooflab::counters {

/// The sets of metrics of a profile, each counted on separate steps.
class CountedSets {
 public:
  /// Puts the sets and their times into `counting`, which must outlive this. Sorts their rows.
  CountedSets(ProfileFacts& facts, record::Counting& counting);

  /// Merges the values of launches into the rows of the step. Returns the number of launches
  /// without a value.
  std::int64_t merge_launches(record::KernelTable& kernels,
                              std::span<const std::uint32_t> reference);
  /// Merges the values of whole steps, if there are any, into Counting::step.
  void merge_totals(const std::string& process, int device);

 private:
  void take_launches(const ProfileFacts& facts, FactsOfSet& set);

  record::Counting& counting_;
  std::vector<CountedLaunches> launches_;
  std::vector<std::size_t> set_of_launches_;
  std::vector<CountedStep> totals_;
};

}  // namespace rooflab::counters
