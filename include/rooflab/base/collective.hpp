#pragma once

#include <cstdint>

#include "rooflab/base/enum_names.hpp"

namespace rooflab {

/// How devices exchange data. A message's size is that of the larger of what one device gives and
/// what it gets, as nccl-tests have it: of an all-gather the whole result, of a reduce-scatter the
/// whole operand.
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

/// Bytes that a device sends for each byte of a message among `ranks` devices, as a ring or pairs
/// send it. Times the message's bytes over its time it is the bus bandwidth. Source:
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
