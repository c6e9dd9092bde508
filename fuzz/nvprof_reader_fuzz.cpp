// libFuzzer: tables of nvprof of any bytes, as kernel_reader.hpp says.

#include "kernel_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooflab;
  fuzz::read_kernels(
      data, size, [](std::string_view text) { return import::read_nvprof_text(text, "fuzz.csv"); });
  return 0;
}
