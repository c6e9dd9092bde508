#include "rooflab/record/trace.hpp"

#include <array>

#include "describe/field_table.hpp"
#include "record_rows.hpp"

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

void RangeTable::add(const Range& range) {
  kind.push_back(range.kind);
  name.push_back(names.intern(range.name));
  thread.push_back(threads.intern(range.thread));
  argument.push_back(arguments.intern(""));
  start_ns.push_back(range.start_ns);
  duration_ns.push_back(range.duration_ns);
  external_id.push_back(range.external_id);
  correlation.push_back(0);
  sequence.push_back(-1);
}

namespace {

/// One row of the ranges, every number in its range.
void read_range(const JsonValue& row, RangeTable& ranges) {
  std::array<std::int64_t, 9> values{};
  codec::decode(values, row);
  const auto id_below = [&](std::int64_t value, std::size_t limit) {
    if (value < 0 || static_cast<std::size_t>(value) >= limit) {
      row.fail("holds the number of a name that is not there");
    }
    return static_cast<NameTable::Id>(value);
  };
  constexpr std::size_t kinds = static_cast<std::size_t>(RangeKind::overhead) + 1;
  ranges.kind.push_back(static_cast<RangeKind>(id_below(values[0], kinds)));
  ranges.name.push_back(id_below(values[1], ranges.names.size()));
  ranges.thread.push_back(id_below(values[2], ranges.threads.size()));
  ranges.argument.push_back(id_below(values[3], ranges.arguments.size()));
  ranges.start_ns.push_back(values[4]);
  ranges.duration_ns.push_back(values[5]);
  ranges.external_id.push_back(values[6]);
  ranges.correlation.push_back(values[7]);
  ranges.sequence.push_back(values[8]);
}

Json rows_json(const RangeTable& ranges) {
  Json rows = Json::array();
  for (std::size_t row = 0; row < ranges.size(); ++row) rows.push_back(range_json(ranges, row));
  return rows;
}

void read_rows(RangeTable& ranges, const JsonValue& from) {
  from.for_each_element([&ranges](const JsonValue& row) { read_range(row, ranges); });
}

const std::vector<CopyEvent>& copies_of(const Trace& trace) { return trace.copies; }
void read_copies(Trace& trace, const JsonValue& from) {
  codec::decode(trace.copies, from);
  for (const CopyEvent& copy : trace.copies) {
    if (copy.name >= trace.copy_names.size()) {
      from.fail("hold the number of a name that is not there");
    }
  }
}

}  // namespace

Json range_json(const RangeTable& ranges, std::size_t row) {
  return Json::array({static_cast<int>(ranges.kind[row]), ranges.name[row], ranges.thread[row],
                      ranges.argument[row], ranges.start_ns[row], ranges.duration_ns[row],
                      ranges.external_id[row], ranges.correlation[row], ranges.sequence[row]});
}

Json encode_json(const NameTable& names) {
  Json json = Json::array();
  for (NameTable::Id id = 0; id < names.size(); ++id) json.push_back(names[id]);
  return json;
}

Json schema_of_json(For<NameTable> /*type*/) {
  return codec::schema_of<std::vector<std::string>>();
}

void decode_json(NameTable& names, const JsonValue& from) {
  std::size_t count = 0;
  from.for_each_element([&](const JsonValue& name) {
    names.intern(name.text());
    ++count;
  });
  if (names.size() != count) from.fail("holds a name twice");
}

std::span<const Field> fields_of(For<TraceDevice>) {
  return members<&TraceDevice::id, &TraceDevice::name, &TraceDevice::memory_bytes,
                 &TraceDevice::compute_capability, &TraceDevice::multiprocessors,
                 &TraceDevice::max_threads_per_multiprocessor>;
}

std::span<const Field> fields_of(For<CopyEvent>) {
  static constexpr auto fields = field_table(
      field<&CopyEvent::kind>(), field<&CopyEvent::name>("name_id"),
      members<&CopyEvent::device, &CopyEvent::stream, &CopyEvent::start_ns,
              &CopyEvent::duration_ns>,
      field<&CopyEvent::bytes>().says("-1: not recorded."), field<&CopyEvent::correlation>());
  return fields;
}

std::span<const Field> fields_of(For<AllocationEvent>) {
  static constexpr auto fields =
      field_table(members<&AllocationEvent::time_ns, &AllocationEvent::device>,
                  field<&AllocationEvent::bytes>().says("-1: not recorded."),
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
  static constexpr auto fields = field_table(
      members<&Trace::profiler, &Trace::base_ns, &Trace::rank, &Trace::world_size, &Trace::backend,
              &Trace::python_ranges, &Trace::devices, &Trace::copy_names>,
      field<&copies_of, &read_copies>("copies").required(),
      members<&Trace::allocations, &Trace::communications, &Trace::ranges>);
  return fields;
}

std::span<const Field> fields_of(For<RangeTable>) {
  static constexpr auto fields = field_table(
      field<&RangeTable::names>(), field<&RangeTable::threads>("thread_names"),
      field<&RangeTable::arguments>(),
      field<&rows_json, &read_rows>("rows").typed(&codec::schema_of<std::vector<Json>>));
  return fields;
}

}  // namespace rooflab::record
