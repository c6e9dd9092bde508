// libFuzzer: any bytes end in a graph or in an Error, never in a crash, a hang or a huge
// allocation.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rooflab/base/error.hpp"
#include "rooflab/onnx/onnx_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    (void)rooflab::onnx::read_onnx_bytes(bytes, "fuzz.onnx", {.dims = {}, .batch = 2});
  } catch (const rooflab::Error&) {
  }
  return 0;
}
