#include "request_head.hpp"

#include "rooflab/base/format.hpp"

namespace rooflab::engine {

void check_head(const JsonFields& fields, std::string_view kind) {
  fields.require_kind(kind, request_schema_version, format("request of the kind {}", kind),
                      "program and worker must be of one version of Rooflab");
}

}  // namespace rooflab::engine
