#include "rooflab/record/trace.hpp"

namespace rooflab::record {

void RangeTable::reserve(std::size_t rows) {
  kind.reserve(rows);
  name.reserve(rows);
  thread.reserve(rows);
  argument.reserve(rows);
  start_ns.reserve(rows);
  duration_ns.reserve(rows);
  external_id.reserve(rows);
  correlation.reserve(rows);
  sequence.reserve(rows);
}

}  // namespace rooflab::record
