#include "rooflab/record/trace_json.hpp"

#include <algorithm>
#include <array>

namespace rooflab::record {
namespace {

Json names_json(const NameTable& names) {
  Json json = Json::array();
  for (NameTable::Id id = 0; id < names.size(); ++id) json.push_back(names[id]);
  return json;
}

NameTable read_names(const JsonFields& fields, std::string_view key) {
  NameTable names;
  for (const std::string& name : fields.texts(key)) names.intern(name);
  if (names.size() != fields.texts(key).size()) fields.fail(key, "holds a name twice");
  return names;
}

Json device_json(const TraceDevice& device) {
  return {{"id", device.id},
          {"name", device.name},
          {"memory_bytes", json_or_null(device.memory_bytes)},
          {"compute_capability", json_or_null(device.compute_capability)},
          {"multiprocessors", json_or_null(device.multiprocessors)},
          {"max_threads_per_multiprocessor", json_or_null(device.max_threads_per_multiprocessor)}};
}

std::optional<int> optional_small(const JsonFields& fields, std::string_view key) {
  if (!fields.has(key)) return std::nullopt;
  return fields.small_integer(key);
}

TraceDevice read_trace_device(const JsonFields& fields) {
  return {fields.small_integer("id"),
          fields.text("name"),
          fields.optional_integer("memory_bytes"),
          fields.optional_text("compute_capability"),
          optional_small(fields, "multiprocessors"),
          optional_small(fields, "max_threads_per_multiprocessor")};
}

Json copy_json(const CopyEvent& copy) {
  return {{"kind", name_of(copy.kind)}, {"name", copy.name},
          {"device", copy.device},      {"stream", copy.stream},
          {"start_ns", copy.start_ns},  {"duration_ns", copy.duration_ns},
          {"bytes", copy.bytes},        {"correlation", copy.correlation}};
}

CopyEvent read_copy(const JsonFields& fields, std::size_t names) {
  CopyEvent copy;
  const std::optional<CopyKind> kind = from_name<CopyKind>(fields.text("kind"));
  if (!kind) fields.fail("kind", "must be memcpy or memset");
  copy.kind = *kind;
  const int name = fields.small_integer("name");
  if (name < 0 || static_cast<std::size_t>(name) >= names) fields.fail("name", "is out of range");
  copy.name = static_cast<NameTable::Id>(name);
  copy.device = fields.small_integer("device");
  copy.stream = fields.small_integer("stream");
  copy.start_ns = fields.integer("start_ns");
  copy.duration_ns = fields.integer("duration_ns");
  copy.bytes = fields.integer("bytes");
  copy.correlation = fields.integer("correlation");
  return copy;
}

Json allocation_json(const AllocationEvent& event) {
  return {{"time_ns", event.time_ns},
          {"device", event.device},
          {"bytes", event.bytes},
          {"total_allocated", event.total_allocated},
          {"total_reserved", event.total_reserved}};
}

AllocationEvent read_allocation(const JsonFields& fields) {
  return {fields.integer("time_ns"), fields.small_integer("device"), fields.integer("bytes"),
          fields.integer("total_allocated"), fields.integer("total_reserved")};
}

Json communication_json(const CommunicationEvent& event) {
  return {{"collective", event.collective},     {"start_ns", event.start_ns},
          {"duration_ns", event.duration_ns},   {"elements_in", event.elements_in},
          {"elements_out", event.elements_out}, {"dtype", event.dtype},
          {"group_size", event.group_size},     {"on_device", event.on_device},
          {"external_id", event.external_id}};
}

CommunicationEvent read_communication(const JsonFields& fields) {
  return {
      fields.text("collective"),     fields.integer("start_ns"),     fields.integer("duration_ns"),
      fields.integer("elements_in"), fields.integer("elements_out"), fields.text("dtype"),
      fields.integer("group_size"),  fields.flag("on_device"),       fields.integer("external_id")};
}

template <class T, class ToJson>
Json list_json(const std::vector<T>& list, ToJson to_json) {
  Json json = Json::array();
  for (const T& each : list) json.push_back(to_json(each));
  return json;
}

/// One row of `ranges.rows`, every number in its range.
void read_range(const JsonFields& fields, const Json& row, RangeTable& ranges) {
  constexpr std::size_t columns = 9;
  const bool numbers =
      row.is_array() && row.size() == columns &&
      std::ranges::all_of(row, [](const Json& n) { return n.is_number_integer(); });
  if (!numbers) fields.fail("rows", "must hold lists of nine whole numbers");
  std::array<std::int64_t, columns> values{};
  for (std::size_t i = 0; i < columns; ++i) values[i] = row[i].get<std::int64_t>();
  const auto id_below = [&](std::int64_t value, std::size_t limit) {
    if (value < 0 || static_cast<std::size_t>(value) >= limit) {
      fields.fail("rows", "hold a number of a name that is not there");
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

}  // namespace

Json trace_head_json(const Trace& trace) {
  Json json;
  json["profiler"] = trace.profiler;
  json["base_ns"] = trace.base_ns;
  json["rank"] = json_or_null(trace.rank);
  json["world_size"] = json_or_null(trace.world_size);
  json["backend"] = trace.backend;
  json["python_ranges"] = trace.python_ranges;
  json["devices"] = list_json(trace.devices, device_json);
  json["copy_names"] = names_json(trace.copy_names);
  json["copies"] = list_json(trace.copies, copy_json);
  json["allocations"] = list_json(trace.allocations, allocation_json);
  json["communications"] = list_json(trace.communications, communication_json);
  json["ranges"] = {{"names", names_json(trace.ranges.names)},
                    {"threads", names_json(trace.ranges.threads)},
                    {"arguments", names_json(trace.ranges.arguments)}};
  return json;
}

Json range_json(const RangeTable& ranges, std::size_t row) {
  return Json::array({static_cast<int>(ranges.kind[row]), ranges.name[row], ranges.thread[row],
                      ranges.argument[row], ranges.start_ns[row], ranges.duration_ns[row],
                      ranges.external_id[row], ranges.correlation[row], ranges.sequence[row]});
}

Trace trace_from_json(const JsonFields& fields) {
  Trace trace;
  trace.profiler = fields.text("profiler");
  trace.base_ns = fields.integer("base_ns");
  trace.rank = optional_small(fields, "rank");
  trace.world_size = optional_small(fields, "world_size");
  trace.backend = fields.text("backend");
  trace.python_ranges = fields.integer("python_ranges");
  for (const JsonFields& each : fields.objects("devices")) {
    trace.devices.push_back(read_trace_device(each));
  }
  trace.copy_names = read_names(fields, "copy_names");
  for (const JsonFields& each : fields.objects("copies")) {
    trace.copies.push_back(read_copy(each, trace.copy_names.size()));
  }
  for (const JsonFields& each : fields.objects("allocations")) {
    trace.allocations.push_back(read_allocation(each));
  }
  for (const JsonFields& each : fields.objects("communications")) {
    trace.communications.push_back(read_communication(each));
  }
  const JsonFields ranges = fields.object("ranges");
  trace.ranges.names = read_names(ranges, "names");
  trace.ranges.threads = read_names(ranges, "threads");
  trace.ranges.arguments = read_names(ranges, "arguments");
  const Json& rows = ranges.value("rows");
  if (!rows.is_array()) ranges.fail("rows", "must be a list");
  for (const Json& row : rows) read_range(ranges, row, trace.ranges);
  return trace;
}

}  // namespace rooflab::record
