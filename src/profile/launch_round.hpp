#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

/// Selects launches to count in a program without steps. Uses only the standard library, because it
/// is part of the injected library too.
namespace rooflab::profile {

/// One round of counting: some groups of equal launches, each counted once per pass of the
/// hardware. The first pass takes groups as they come; each later pass waits for another launch of
/// these groups, in any order, and also takes new groups. A group that is launched only once has
/// the values of one pass.
///
///     while (!round.is_over()) {
///       for (each launch) if (round.pass_is_over()) break; else round.before_launch(group, now);
///       round.next_pass();
///     }
class LaunchRound {
 public:
  /// Whether launches of a group are worth counting.
  using Wanted = std::function<bool(std::uint32_t group)>;

  /// `passes`: 1 or more. `most`: largest number of members, of which each pass may add its share.
  LaunchRound(int passes, std::size_t most, Wanted wanted);

  /// Must be called for every launch that could be counted, in order. Returns the number of the
  /// member that it is counted for; nullopt: do not count it. `now_s`: any steady clock.
  [[nodiscard]] std::optional<std::size_t> before_launch(std::uint32_t group, double now_s);

  /// Whether the pass is over: every member was counted, or none came for a long time.
  [[nodiscard]] bool pass_is_over(double now_s) const;
  /// Begins the next pass; after the last one the round is over.
  void next_pass();
  [[nodiscard]] bool is_over() const { return pass_ == passes_; }

  /// Groups of the members, by member number.
  [[nodiscard]] const std::vector<std::uint32_t>& members() const { return members_; }

 private:
  [[nodiscard]] std::optional<std::size_t> member_of(std::uint32_t group) const;
  /// Largest number of members in this pass.
  [[nodiscard]] std::size_t room() const;

  const int passes_;
  const std::size_t most_;
  const Wanted wanted_;
  int pass_ = 0;
  std::vector<std::uint32_t> members_;
  std::vector<int> counted_;       ///< number of passes in which each member was counted
  std::size_t idle_launches_ = 0;  ///< launches since one was counted
  std::size_t least_;              ///< minimum of launches to wait for the next counted one
  std::size_t patience_;           ///< current number of launches to wait
  std::size_t pass_launches_ = 0;
  std::optional<double> last_s_;  ///< time of the last counted launch, or of the pass's begin
};

}  // namespace rooflab::profile
