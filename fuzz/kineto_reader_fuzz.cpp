// Traces of the PyTorch profiler from arbitrary bytes: an Error, or a record whose columns are of
// one length and whose texts can be written as JSON.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/json.hpp"
#include "rooflab/import/readers.hpp"

namespace {

void check(const rooflab::record::NameTable& names) {
  for (rooflab::record::NameTable::Id id = 0; id < names.size(); ++id) {
    (void)rooflab::Json(names[id]).dump();  // throws where it is not UTF-8
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooflab;
  try {
    const record::Record record =
        import::read_kineto_text({reinterpret_cast<const char*>(data), size}, "fuzz.json");
    const record::RangeTable& ranges = record.trace->ranges;
    for (const std::size_t rows :
         {ranges.name.size(), ranges.thread.size(), ranges.argument.size(), ranges.start_ns.size(),
          ranges.duration_ns.size(), ranges.external_id.size(), ranges.correlation.size(),
          ranges.sequence.size()}) {
      ROOFLAB_ASSERT(rows == ranges.size());
    }
    for (const std::int64_t duration : ranges.duration_ns) ROOFLAB_ASSERT(duration >= 0);
    for (const record::Loss& loss : record.lost) {
      ROOFLAB_ASSERT(loss.count > 0);
      (void)Json(loss.what).dump();
    }
    check(ranges.names);
    check(ranges.arguments);
    check(ranges.threads);
    check(record.trace->copy_names);
    check(record.kernels->names);
    check(record.kernels->processes);
    for (const record::CommunicationEvent& message : record.trace->communications) {
      (void)Json(message.collective + message.dtype).dump();
    }
  } catch (const Error&) {
  }
  return 0;
}
