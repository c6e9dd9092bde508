#include "launch_round.hpp"

#include <algorithm>
#include <utility>

namespace rooflab::profile {
namespace {

/// A pass waits for as many launches as it has seen so far, for no fewer than these; longer for the
/// first of a round, which is known to come.
constexpr std::size_t least_patience = 16;
constexpr std::size_t first_patience = 200;
/// Kernels that take long are not waited for by number: a pass is over after this time, too, if it
/// has seen some.
constexpr double longest_wait_s = 0.5;
constexpr std::size_t fewest_launches = 4;

}  // namespace

LaunchRound::LaunchRound(int passes, std::size_t most, Wanted wanted)
    : passes_(passes),
      most_(most),
      wanted_(std::move(wanted)),
      least_(least_patience),
      patience_(first_patience) {}

std::optional<std::size_t> LaunchRound::member_of(std::uint32_t group) const {
  const auto found = std::ranges::find(members_, group);
  if (found == members_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - members_.begin());
}

std::size_t LaunchRound::room() const {
  const auto passes = static_cast<std::size_t>(passes_);
  return most_ * (static_cast<std::size_t>(pass_) + 1) / passes;
}

std::optional<std::size_t> LaunchRound::before_launch(std::uint32_t group, double now_s) {
  if (is_over()) return std::nullopt;
  if (!last_s_) last_s_ = now_s;
  ++pass_launches_;
  ++idle_launches_;
  std::optional<std::size_t> member = member_of(group);
  if (!member) {
    if (members_.size() >= room() || !wanted_(group)) return std::nullopt;
    member = members_.size();
    members_.push_back(group);
    counted_.push_back(0);
  } else if (counted_[*member] > pass_) {
    return std::nullopt;
  }
  counted_[*member] = pass_ + 1;
  patience_ = std::max(pass_launches_, least_);
  idle_launches_ = 0;
  last_s_ = now_s;
  return member;
}

bool LaunchRound::pass_is_over(double now_s) const {
  if (is_over()) return true;
  const bool all = std::ranges::none_of(counted_, [this](int last) { return last <= pass_; });
  if (all && (pass_ > 0 || members_.size() >= room())) return true;
  if (idle_launches_ >= patience_) return true;
  return last_s_ && now_s - *last_s_ >= longest_wait_s && idle_launches_ >= fewest_launches;
}

void LaunchRound::next_pass() {
  ++pass_;
  // A later pass sees no fewer launches than the ones before it.
  least_ = std::max(least_patience, 2 * pass_launches_);
  patience_ = least_;
  pass_launches_ = 0;
  idle_launches_ = 0;
  last_s_.reset();
}

}  // namespace rooflab::profile
