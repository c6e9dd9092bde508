#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

#include "profile_facts.hpp"
#include "rooflab/record/counted_groups.hpp"

namespace rooflab::counters {

/// Launches that were counted one by one, as groups.
class GroupMerge {
 public:
  /// `chip`: CUPTI's name of the device that launched. `of_step`: launches that were counted in a
  /// known step, else those outside of steps.
  GroupMerge(const ProfileFacts& facts, const std::string& chip, bool of_step);

  /// Some launch was counted.
  [[nodiscard]] bool has_counters() const { return has_counters_; }
  [[nodiscard]] const record::CountedGroups& groups() const { return groups_; }

  /// Gives launches of a table without counters those of their group: its means. `likes`: the
  /// signature of each row; `without`: figures that stay away. Returns the number of rows that got
  /// some.
  std::int64_t fill(record::KernelTable& kernels, std::span<const std::uint32_t> likes,
                    std::span<const record::KernelFigure> without = {}) const;

 private:
  void add_groups(const ProfileFacts& facts);
  void add_times(const ProfileFacts& facts);
  void add_counters(const ProfileFacts& facts, bool of_step);
  void add_idle_tensor_types(const std::string& chip);
  void add_estimates();
  [[nodiscard]] std::size_t row_of(const ProfileFacts& facts, std::uint32_t signature);

  record::CountedGroups groups_;
  std::unordered_map<std::uint32_t, std::size_t> rows_;  ///< key: the first signature alike
  bool has_counters_ = false;
};

}  // namespace rooflab::counters
