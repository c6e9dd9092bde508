// Record files from arbitrary bytes: an Error, or a record that reads back equal from what is
// written of it.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/assert.hpp"
#include "describe/json_fields.hpp"
#include "describe/schema.hpp"
#include "record/record_json.hpp"
#include "rooflab/base/error.hpp"

namespace {

std::optional<rooflab::record::Record> read(std::string_view text) {
  try {
    return rooflab::from_file_json<rooflab::record::Record>(rooflab::parse_json(text, "fuzz.json"),
                                                            "fuzz.json");
  } catch (const rooflab::Error&) {
    return std::nullopt;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto record = read({reinterpret_cast<const char*>(data), size});
  if (record)
    ROOFLAB_ASSERT(rooflab::to_json(*read(rooflab::file_json(*record).dump())) ==
                   rooflab::to_json(*record));
  return 0;
}
