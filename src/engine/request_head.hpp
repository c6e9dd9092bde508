#pragma once

#include <string_view>

#include "rooflab/base/json_fields.hpp"

namespace rooflab::engine {

/// Version of all requests that go from the program to a worker, and of the cases within them.
inline constexpr int request_schema_version = 1;

/// Throws Error (input) unless the object is a request of that kind and version.
void check_head(const JsonFields& fields, std::string_view kind);

}  // namespace rooflab::engine
