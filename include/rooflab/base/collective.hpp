#pragma once

#include <cstdint>

#include "rooflab/base/enum_names.hpp"

namespace rooflab {

/// Kind of data exchange between devices. The size of a message is the larger of what one device
/// sends in and gets out, as in nccl-tests: the whole result of an all-gather, the whole operand of
/// a reduce-scatter.
enum class Collective : std::uint8_t {
  all_reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  broadcast,
  copy,  ///< from one device to another
};
constexpr auto names_in_order(For<Collective>) {
  return names_through<Collective::copy>("all_reduce", "all_gather", "reduce_scatter", "all_to_all",
                                         "broadcast", "copy");
}

/// Bytes that a device sends per byte of a message among `ranks` devices, in a ring or in pairs.
/// Multiplied by the message's bytes over its time it gives the bus bandwidth. Source:
/// github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md.
[[nodiscard]] constexpr double sent_share(Collective collective, int ranks) {
  switch (collective) {
    case Collective::all_reduce:
      return 2.0 * (ranks - 1) / ranks;
    case Collective::all_gather:
    case Collective::reduce_scatter:
    case Collective::all_to_all:
      return (ranks - 1.0) / ranks;
    case Collective::broadcast:
    case Collective::copy:
      break;
  }
  return 1.0;
}

}  // namespace rooflab
