#pragma once

#include <string>
#include <string_view>

namespace rooflab::profile {

/// Why counters cannot be read here, and the way out, a sentence each.
struct CounterFault {
  std::string what;
  std::string hint;

  friend bool operator==(const CounterFault&, const CounterFault&) = default;
};

/// For a CUptiResult and the call that gave it. `detail`: further information, such as the name
/// of the other profiler; may be empty.
[[nodiscard]] CounterFault explain_cupti_error(int code, std::string_view call,
                                               std::string_view detail = {});

}  // namespace rooflab::profile
