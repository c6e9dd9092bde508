#pragma once

#include <string>
#include <string_view>

namespace rooflab::profile {

/// Reason why counters cannot be read here, and advice, one sentence each.
struct CounterFault {
  std::string what;
  std::string hint;

  friend bool operator==(const CounterFault&, const CounterFault&) = default;
};

/// Explains a CUptiResult of a call. `detail`: further information, such as the name of the other
/// profiler; may be empty.
[[nodiscard]] CounterFault explain_cupti_error(int code, std::string_view call,
                                               std::string_view detail = {});

}  // namespace rooflab::profile
