#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <vector>

#include "rooflab/base/statistics.hpp"
#include "rooflab/trace/step_work.hpp"

namespace rooflab::trace {

/// Finds how long a device does nothing but work of one kind: what the end of that work would save
/// at most. Work that runs next to other work saves nothing.
class LoneWork {
 public:
  using Kinds = std::bitset<lone_kinds>;

  void add(std::int32_t device, TimeInterval interval, Kinds kinds);
  /// The time of each kind alone, on the device that has most of it.
  [[nodiscard]] std::array<double, lone_kinds> alone_ns() const;

 private:
  struct Piece {
    TimeInterval interval;
    Kinds kinds;
  };
  std::map<std::int32_t, std::vector<Piece>> pieces_;  ///< key: device
};

}  // namespace rooflab::trace
