#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"

namespace rooflab {

/// Members of requests that advice changes, by their keys in the requests' tables.
enum class ChangedMember : std::uint8_t {
  batch,
  channels_last,
  data_workers,
  precision,
  device,
  save
};
constexpr auto names_in_order(For<ChangedMember>) {
  return names_through<ChangedMember::save>("batch", "channels_last", "data_workers", "precision",
                                            "device", "save");
}

/// A change of one member of a request.
struct RequestChange {
  ChangedMember member = ChangedMember::batch;
  std::string value = {};  ///< the new value; empty: a switch that is set
  std::string from = {};   ///< the value before; empty: not known
  bool doubles = false;    ///< twice the number that the request gives, in place of `value`

  bool operator==(const RequestChange&) const = default;
  /// The change as a flag: `--batch 256`.
  [[nodiscard]] std::string text() const;
};

}  // namespace rooflab
