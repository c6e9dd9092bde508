#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/described.hpp"

namespace rooflab::record {

/// Something in an imported file that did not become part of the record, counted.
struct Loss {
  std::string what;  ///< `rows that end early`, `events without a time`
  std::int64_t count = 0;
  std::string first;  ///< where the first one is: `line 17`, `byte 40960`
};

/// Adds one to the losses of that kind.
void count_loss(std::vector<Loss>& losses, std::string_view what, std::string_view where);

[[nodiscard]] std::span<const Field> fields_of(For<Loss>);

}  // namespace rooflab::record
