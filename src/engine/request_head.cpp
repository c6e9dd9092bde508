#include "request_head.hpp"

#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::engine {

void check_head(const JsonFields& fields, std::string_view kind, const std::string& file) {
  if (fields.has("kind") && fields.text("kind") == kind &&
      fields.integer("schema_version") == request_schema_version) {
    return;
  }
  throw Error(ErrorKind::input, format("this is not a request of the kind {}", kind),
              "program and worker must be of one version of Rooflab", {file, {}, {}, {}});
}

}  // namespace rooflab::engine
