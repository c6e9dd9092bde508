#pragma once

#include <string_view>

#include "rooflab/record/record.hpp"

namespace rooflab::import::kineto {

/// Whether a member of the trace's outermost object, other than its events, belongs in a record.
[[nodiscard]] bool is_head_member(std::string_view key);

/// Reads the member `key` with the JSON text `value` into the record's trace and libraries. False:
/// it could not be read completely.
[[nodiscard]] bool read_head_member(std::string_view key, std::string_view value,
                                    record::Record& record);

}  // namespace rooflab::import::kineto
