#include "record_json.hpp"

#include <ostream>

#include "base/format.hpp"
#include "describe/fields.hpp"
#include "describe/schema.hpp"
#include "record_rows.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::record {

namespace {

/// All fields but the last, without the closing brace.
std::string open_text(const void* row, std::span<const Field> fields) {
  std::string text = fields_json(row, fields.first(fields.size() - 1)).dump();
  text.pop_back();
  return text;
}

}  // namespace

void write_json(std::ostream& stream, const Record& record, const Json& more) {
  Json head = more;
  head.update(with_head(file_kind_of(For<Record>{}), fields_json(&record, head_fields())));
  std::string text = head.dump(1);
  text.resize(text.rfind('\n'));  // the closing brace comes last
  stream << text;
  if (record.kernels) {
    const bool tensor_cores = may_have_tensor_work(record);
    stream << format(",\n \"{}\": [", kernels_key.key());
    for (std::size_t row = 0; row < record.kernels->size(); ++row) {
      stream << (row == 0 ? "\n  " : ",\n  ")
             << kernel_json(*record.kernels, row, tensor_cores).dump();
    }
    stream << "\n ]";
  }
  if (record.trace) {
    const RangeTable& ranges = record.trace->ranges;
    stream << format(",\n \"{}\": {},\"{}\":{},\"{}\":[", trace_key.key(),
                     open_text(&*record.trace, fields_of(For<Trace>{})), ranges_key.key(),
                     open_text(&ranges, fields_of(For<RangeTable>{})), rows_key.key());
    for (std::size_t row = 0; row < ranges.size(); ++row) {
      stream << (row == 0 ? "\n  " : ",\n  ") << range_json(ranges, row).dump();
    }
    stream << "\n ]}}";
  }
  stream << "\n}\n";
}

void write_record(const std::filesystem::path& path, const Record& record) {
  write_file_atomically(path, [&](std::ostream& stream) { write_json(stream, record); });
}

}  // namespace rooflab::record
