// libFuzzer: an ncu log of any bytes, as kernel_reader.hpp says.

#include "kernel_reader.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rooflab;
  fuzz::read_kernels(data, size, [](std::string_view text) {
    return import::read_ncu_log_text(text, "fuzz.csv");
  });
  return 0;
}
