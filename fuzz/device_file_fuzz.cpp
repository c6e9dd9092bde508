// Device files from arbitrary bytes: an Error or a device with positive figures.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/device/device.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooflab;
  try {
    const device::Device device =
        device::read_device({reinterpret_cast<const char*>(data), size}, "fuzz.toml");
    for (const auto& [path, figure] : device.peaks) ROOFLAB_ASSERT(figure.value > 0.0);
  } catch (const Error&) {
  }
  return 0;
}
