// libFuzzer: any bytes end in a record or in an Error. A record has launches, and no figure of it
// is negative or no number.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/import/readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooflab;
  try {
    const record::Record record =
        import::read_nsys_csv_text({reinterpret_cast<const char*>(data), size}, "fuzz.csv");
    ROOFLAB_ASSERT(record.kernels && !record.kernels->empty());
    for (const record::KernelFigure figure : values_of<record::KernelFigure>) {
      const auto sum = record.kernels->sum(figure);
      ROOFLAB_ASSERT(!sum || *sum >= 0.0);
    }
  } catch (const Error&) {
  }
  return 0;
}
