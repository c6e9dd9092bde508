#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

/// Which launches of a program without steps are counted. Standard library only: this is part of
/// the injected library too.
namespace rooflab::profile {

/// One round of counting: some groups of like launches, each counted once in a pass of the
/// hardware. A pass takes groups as they come; the next one waits for another launch of the same
/// groups, in whatever order, and takes further ones beside them: a group that comes once has what
/// one pass counts.
///
///     while (!round.is_over()) {
///       for (each launch) if (round.pass_is_over()) break; else round.before_launch(group, now);
///       round.next_pass();
///     }
class LaunchRound {
 public:
  /// Whether launches of a group are worth counting.
  using Wanted = std::function<bool(std::uint32_t group)>;

  /// `passes`: 1 or more. `most`: members at most, of which each pass may add its part.
  LaunchRound(int passes, std::size_t most, Wanted wanted);

  /// To be asked for every launch that could be counted, in order. The number of the member that it
  /// is counted for; nullopt: it is not counted. `now_s`: any clock that does not jump.
  [[nodiscard]] std::optional<std::size_t> before_launch(std::uint32_t group, double now_s);

  /// The pass has all that it can expect: every member was counted, or none came for long.
  [[nodiscard]] bool pass_is_over(double now_s) const;
  /// After the last pass the round is over.
  void next_pass();
  [[nodiscard]] bool is_over() const { return pass_ == passes_; }

  /// Groups of the members, by their numbers.
  [[nodiscard]] const std::vector<std::uint32_t>& members() const { return members_; }

 private:
  [[nodiscard]] std::optional<std::size_t> member_of(std::uint32_t group) const;
  /// Members that there may be in this pass.
  [[nodiscard]] std::size_t room() const;

  const int passes_;
  const std::size_t most_;
  const Wanted wanted_;
  int pass_ = 0;
  std::vector<std::uint32_t> members_;
  std::vector<int> counted_;       ///< passes that a member was counted in
  std::size_t idle_launches_ = 0;  ///< since a launch was counted
  std::size_t least_;              ///< launches that the pass waits for the next one, at least
  std::size_t patience_;           ///< and that it waits now
  std::size_t pass_launches_ = 0;
  std::optional<double> last_s_;  ///< when a launch was counted, or the pass began
};

}  // namespace rooflab::profile
