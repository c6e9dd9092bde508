#include "rooflab/record/trace_json.hpp"

#include <array>

#include "record_rows.hpp"

namespace rooflab::record {
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

void decode_json(NameTable& names, const JsonValue& from) {
  std::size_t count = 0;
  from.for_each_element([&](const JsonValue& name) {
    names.intern(name.text());
    ++count;
  });
  if (names.size() != count) from.fail("holds a name twice");
}

Json rows_json(const RangeTable& ranges) {
  Json rows = Json::array();
  for (std::size_t row = 0; row < ranges.size(); ++row) rows.push_back(range_json(ranges, row));
  return rows;
}

void read_rows(RangeTable& ranges, const JsonValue& from) {
  from.for_each_element([&ranges](const JsonValue& row) { read_range(row, ranges); });
}

Trace trace_from_json(const JsonFields& fields) {
  Trace trace = from_json<Trace>(fields);
  for (const CopyEvent& copy : trace.copies) {
    if (copy.name >= trace.copy_names.size()) {
      fields.fail("copies", "hold the number of a name that is not there");
    }
  }
  return trace;
}

}  // namespace rooflab::record
