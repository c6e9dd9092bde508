// libFuzzer: what begins as a profile does ends in a record, anything else in an Error. A record's
// figures are numbers and its times are not negative.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.hpp"
#include "counters/profile_reader.hpp"
#include "rooflab/base/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooflab;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const record::Record record = counters::read_profile_text(text, "fuzz.jsonl");
    ROOFLAB_ASSERT(counters::is_profile(text) && record.kernels);
    for (std::size_t row = 0; row < record.kernels->size(); ++row) {
      const auto time = record.kernels->at(record::KernelFigure::time_s, row);
      ROOFLAB_ASSERT(!time || *time >= 0.0);
      const auto read = record.kernels->at(record::KernelFigure::dram_read_bytes, row);
      ROOFLAB_ASSERT(!read || std::isfinite(*read));
    }
    for (const record::Loss& loss : record.lost) ROOFLAB_ASSERT(loss.count >= 0);
  } catch (const Error&) {
    ROOFLAB_ASSERT(!counters::is_profile(text));
  }
  return 0;
}
