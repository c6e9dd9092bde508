#include "describe/field_table.hpp"
#include "rooflab/device/device.hpp"

namespace rooflab::device {

std::span<const Field> fields_of(For<Link>) {
  static constexpr auto fields = field_table(
      members<&Link::id, &Link::name>, field<&Link::bandwidth>("bandwidth_bytes_per_s"),
      members<&Link::latency_s>,
      field<&Link::multiprocessors>().says(
          "Those that the collective's kernels keep to themselves; null where it is not known."),
      members<&Link::source, &Link::latency_source, &Link::multiprocessors_source>);
  return fields;
}

}  // namespace rooflab::device
