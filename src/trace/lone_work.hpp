#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <map>
#include <vector>

#include "rooflab/base/statistics.hpp"
#include "rooflab/trace/step_work.hpp"

namespace rooflab::trace {

/// Computes the time in which a device does only work of one kind, an upper bound of the saving if
/// that work were removed. Removing work that runs concurrently with other work saves nothing.
class LoneWork {
 public:
  using Kinds = std::bitset<lone_kinds>;

  void add(std::int32_t device, TimeInterval interval, Kinds kinds);
  /// Time of each kind alone, on the device with the most of it.
  [[nodiscard]] std::array<double, lone_kinds> alone_ns() const;

 private:
  struct Piece {
    TimeInterval interval;
    Kinds kinds;
  };
  std::map<std::int32_t, std::vector<Piece>> pieces_;  ///< key: device
};

}  // namespace rooflab::trace
