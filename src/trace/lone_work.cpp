// Of a kind c on one device, with the union U of intervals,
//
//     alone(c) = | U(work of kind c) \ U(all other work) |
//
// A piece may be of several kinds. Several devices work for one step: it ends no earlier than the
// one that would gain most, so the largest is what could be saved at most.

#include "lone_work.hpp"

#include <algorithm>

namespace rooflab::trace {

void LoneWork::add(std::int32_t device, TimeInterval interval, Kinds kinds) {
  pieces_[device].push_back({interval, kinds});
}

std::array<double, lone_kinds> LoneWork::alone_ns() const {
  std::array<double, lone_kinds> alone{};
  for (const auto& [device, pieces] : pieces_) {
    for (std::size_t kind = 0; kind < lone_kinds; ++kind) {
      std::vector<TimeInterval> own;
      std::vector<TimeInterval> other;
      for (const Piece& piece : pieces) {
        (piece.kinds[kind] ? own : other).push_back(piece.interval);
      }
      if (own.empty()) continue;
      const IntervalSet lone = difference_of(union_of(std::move(own)), union_of(std::move(other)));
      alone[kind] = std::max(alone[kind], static_cast<double>(total_ns(lone)));
    }
  }
  return alone;
}

}  // namespace rooflab::trace
