// ONNX files as they are read from a disk, piece by piece, with values that lie in another file:
// any bytes end in a graph or in an Error.

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "rooflab/base/error.hpp"
#include "rooflab/onnx/onnx_reader.hpp"
#include "rooflab/system/file.hpp"
#include "system/temporary_folder.hpp"

namespace {

using namespace rooflab;

/// With the file of values that the seeds name: eight integers of 64 bits.
const TemporaryFolder& folder() {
  static const TemporaryFolder place("fuzz");
  static const bool written = [] {
    constexpr std::string_view values(
        "\2\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"
        "\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0",
        64);
    write_file_atomically(place.file("weights.bin"), values);
    return true;
  }();
  (void)written;
  return place;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto file = folder().file("fuzz.onnx");
  write_file_atomically(file, {reinterpret_cast<const char*>(data), size});
  (void)onnx::looks_like_onnx(file);
  try {
    (void)onnx::read_onnx(file, {.dims = {}, .batch = 2});
  } catch (const Error&) {
  }
  return 0;
}
