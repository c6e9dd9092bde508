#pragma once

#include "fields.hpp"
#include "schema.hpp"

/// What a file holds as a JSON Schema (json-schema.org, draft 2020-12), for programs of others that
/// write or read it: keys, types, which keys may be missing and which may be null.
namespace rooflab {

/// Schema of a whole file, with the two keys of its head.
[[nodiscard]] Json json_schema(const FileKind& kind, std::span<const Field> fields);

}  // namespace rooflab
