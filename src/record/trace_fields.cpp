#include "rooflab/base/field_table.hpp"
#include "rooflab/record/trace.hpp"
#include "rooflab/record/trace_json.hpp"

namespace rooflab::record {

std::span<const Field> fields_of(For<TraceDevice>) {
  static constexpr Field fields[] = {
      field<&TraceDevice::id>("id"),
      field<&TraceDevice::name>("name"),
      field<&TraceDevice::memory_bytes>("memory_bytes"),
      field<&TraceDevice::compute_capability>("compute_capability"),
      field<&TraceDevice::multiprocessors>("multiprocessors"),
      field<&TraceDevice::max_threads_per_multiprocessor>("max_threads_per_multiprocessor"),
  };
  return fields;
}

std::span<const Field> fields_of(For<CopyEvent>) {
  static constexpr Field fields[] = {
      field<&CopyEvent::kind>("kind"),         field<&CopyEvent::name>("name_id"),
      field<&CopyEvent::device>("device"),     field<&CopyEvent::stream>("stream"),
      field<&CopyEvent::start_ns>("start_ns"), field<&CopyEvent::duration_ns>("duration_ns"),
      field<&CopyEvent::bytes>("bytes"),       field<&CopyEvent::correlation>("correlation"),
  };
  return fields;
}

std::span<const Field> fields_of(For<AllocationEvent>) {
  static constexpr Field fields[] = {
      field<&AllocationEvent::time_ns>("time_ns"),
      field<&AllocationEvent::device>("device"),
      field<&AllocationEvent::bytes>("bytes"),
      field<&AllocationEvent::total_allocated>("total_allocated_bytes"),
      field<&AllocationEvent::total_reserved>("total_reserved_bytes"),
  };
  return fields;
}

std::span<const Field> fields_of(For<CommunicationEvent>) {
  static constexpr Field fields[] = {
      field<&CommunicationEvent::collective>("collective"),
      field<&CommunicationEvent::start_ns>("start_ns"),
      field<&CommunicationEvent::duration_ns>("duration_ns"),
      field<&CommunicationEvent::elements_in>("elements_in"),
      field<&CommunicationEvent::elements_out>("elements_out"),
      field<&CommunicationEvent::dtype>("dtype"),
      field<&CommunicationEvent::group_size>("group_size"),
      field<&CommunicationEvent::on_device>("on_device"),
      field<&CommunicationEvent::external_id>("external_id"),
  };
  return fields;
}

// The ranges come last, and their rows last of them: write_json() writes these one by one.
std::span<const Field> fields_of(For<Trace>) {
  static constexpr Field fields[] = {
      field<&Trace::profiler>("profiler"),
      field<&Trace::base_ns>("base_ns"),
      field<&Trace::rank>("rank"),
      field<&Trace::world_size>("world_size"),
      field<&Trace::backend>("backend"),
      field<&Trace::python_ranges>("python_ranges"),
      field<&Trace::devices>("devices"),
      field<&Trace::copy_names>("copy_names"),
      field<&Trace::copies>("copies"),
      field<&Trace::allocations>("allocations"),
      field<&Trace::communications>("communications"),
      field<&Trace::ranges>("ranges"),
  };
  return fields;
}

std::span<const Field> fields_of(For<RangeTable>) {
  static constexpr Field fields[] = {
      field<&RangeTable::names>("names"),
      field<&RangeTable::threads>("threads"),
      field<&RangeTable::arguments>("arguments"),
      field<&rows_json, &read_rows>("rows"),
  };
  return fields;
}

}  // namespace rooflab::record
