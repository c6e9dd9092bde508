// Calibrations from arbitrary bytes: an Error, or rows of their columns' width that can be written
// and read again.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/assert.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/device/calibration.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooflab;
  std::string written;
  try {
    const device::Calibration calibration =
        device::read_calibration({reinterpret_cast<const char*>(data), size}, "fuzz.toml");
    for (const auto& [kind, table] : calibration.ops) {
      for (const device::OpRow& row : table.rows) {
        ROOFLAB_ASSERT(row.sizes.size() == table.columns.size() && row.time_s > 0.0);
      }
    }
    written = device::to_toml(calibration);
  } catch (const Error&) {
    return 0;
  }
  // What was read can be written; an Error here is a crash.
  ROOFLAB_ASSERT(device::to_toml(device::read_calibration(written, "written.toml")) == written);
  return 0;
}
