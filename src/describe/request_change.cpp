#include "rooflab/describe/request_change.hpp"

#include "base/format.hpp"
#include "rooflab/describe/parameter.hpp"

namespace rooflab {

std::string RequestChange::text() const {
  Parameter parameter;
  parameter.key = name_of(member);
  return value.empty() ? parameter.flag() : format("{} {}", parameter.flag(), value);
}

}  // namespace rooflab
