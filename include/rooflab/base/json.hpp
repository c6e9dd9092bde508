#pragma once

#include <nlohmann/json.hpp>

namespace rooflab {

/// JSON of our own files; keys keep the order in which they were written.
using Json = nlohmann::ordered_json;

}  // namespace rooflab
