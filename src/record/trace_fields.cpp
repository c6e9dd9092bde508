#include "rooflab/base/field_table.hpp"
#include "rooflab/record/trace.hpp"
#include "rooflab/record/trace_json.hpp"

namespace rooflab::record {

std::span<const Field> fields_of(For<TraceDevice>) {
  return members<&TraceDevice::id, &TraceDevice::name, &TraceDevice::memory_bytes,
                 &TraceDevice::compute_capability, &TraceDevice::multiprocessors,
                 &TraceDevice::max_threads_per_multiprocessor>;
}

std::span<const Field> fields_of(For<CopyEvent>) {
  static constexpr auto fields =
      field_table(field<&CopyEvent::kind>(), field<&CopyEvent::name>("name_id"),
                  members<&CopyEvent::device, &CopyEvent::stream, &CopyEvent::start_ns,
                          &CopyEvent::duration_ns, &CopyEvent::bytes, &CopyEvent::correlation>);
  return fields;
}

std::span<const Field> fields_of(For<AllocationEvent>) {
  static constexpr auto fields = field_table(
      members<&AllocationEvent::time_ns, &AllocationEvent::device, &AllocationEvent::bytes>,
      field<&AllocationEvent::total_allocated>("total_allocated_bytes"),
      field<&AllocationEvent::total_reserved>("total_reserved_bytes"));
  return fields;
}

std::span<const Field> fields_of(For<CommunicationEvent>) {
  return members<&CommunicationEvent::collective, &CommunicationEvent::start_ns,
                 &CommunicationEvent::duration_ns, &CommunicationEvent::elements_in,
                 &CommunicationEvent::elements_out, &CommunicationEvent::dtype,
                 &CommunicationEvent::group_size, &CommunicationEvent::on_device,
                 &CommunicationEvent::external_id>;
}

// The ranges come last, and their rows last of them: write_json() writes these one by one.
std::span<const Field> fields_of(For<Trace>) {
  return members<&Trace::profiler, &Trace::base_ns, &Trace::rank, &Trace::world_size,
                 &Trace::backend, &Trace::python_ranges, &Trace::devices, &Trace::copy_names,
                 &Trace::copies, &Trace::allocations, &Trace::communications, &Trace::ranges>;
}

std::span<const Field> fields_of(For<RangeTable>) {
  static constexpr auto fields =
      field_table(members<&RangeTable::names, &RangeTable::threads, &RangeTable::arguments>,
                  field<&rows_json, &read_rows>("rows"));
  return fields;
}

}  // namespace rooflab::record
