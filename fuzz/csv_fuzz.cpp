// Tables from arbitrary bytes: an Error, or rows as wide as their header whose cells have places in
// order.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.hpp"
#include "base/csv.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooflab;
  try {
    const CsvTable table = parse_csv({reinterpret_cast<const char*>(data), size}, "fuzz.csv");
    ROOFLAB_ASSERT(!table.header().empty());
    int line = 0;
    std::size_t bytes = 0;
    for (std::size_t row = 0; row < table.rows(); ++row) {
      ROOFLAB_ASSERT(table.line(row) > line);
      line = table.line(row);
      for (std::size_t column = 0; column < table.header().size(); ++column) {
        bytes += table.cell(row, column).size();
        ROOFLAB_ASSERT(table.place(row, column).column.value_or(0) >= 1);
      }
    }
    ROOFLAB_ASSERT(bytes <= size);
  } catch (const Error&) {
    return 0;
  }
  return 0;
}
