#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>

#include "profile_facts.hpp"
#include "rooflab/record/counted_groups.hpp"

namespace rooflab::counters {

/// Merges launches that were counted one by one into groups.
class GroupMerge {
 public:
  /// Takes the launches of a profile. `chip`: CUPTI's name of the device. `of_step`: use launches
  /// that were counted in a known step, else those outside of steps.
  GroupMerge(const ProfileFacts& facts, const std::string& chip, bool of_step);

  /// Whether some launch was counted.
  [[nodiscard]] bool has_counters() const { return has_counters_; }
  [[nodiscard]] const record::CountedGroups& groups() const { return groups_; }

  /// Fills launches of a table without counters with the means of their group. `likes`: signature
  /// of each row; `without`: figures not to fill. Returns the number of filled rows.
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
  std::unordered_map<std::uint32_t, std::size_t> rows_;  ///< key: first equal signature
  bool has_counters_ = false;
};

}  // namespace rooflab::counters
