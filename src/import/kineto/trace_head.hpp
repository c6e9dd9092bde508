#pragma once

#include <string_view>

#include "rooflab/record/record.hpp"

namespace rooflab::import::kineto {

/// A member of the trace's outermost object, other than its events, that a record has a place for.
[[nodiscard]] bool is_head_member(std::string_view key);

/// Puts what the member `key` with the JSON text `value` says into the record's trace and
/// libraries. False: it cannot be read, or not all of it.
[[nodiscard]] bool read_head_member(std::string_view key, std::string_view value,
                                    record::Record& record);

}  // namespace rooflab::import::kineto
