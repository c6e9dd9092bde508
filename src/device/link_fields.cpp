#include "base/field_table.hpp"
#include "rooflab/device/device.hpp"

namespace rooflab::device {

std::span<const Field> fields_of(For<Link>) {
  static constexpr Field fields[] = {
      field<&Link::id>("id"),
      field<&Link::name>("name"),
      field<&Link::bandwidth>("bandwidth_bytes_per_s"),
      field<&Link::latency_s>("latency_s"),
      field<&Link::multiprocessors>("multiprocessors"),
      field<&Link::source>("source"),
      field<&Link::latency_source>("latency_source"),
      field<&Link::multiprocessors_source>("multiprocessors_source")};
  return fields;
}

}  // namespace rooflab::device
