#include "demangled_name.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace rooflab::counters {
namespace {

struct Free {
  // The demangler's memory is malloc's, by its definition.
  // NOLINTNEXTLINE(cppcoreguidelines-no-malloc, cppcoreguidelines-owning-memory)
  void operator()(char* text) const { std::free(text); }
};

}  // namespace

std::string readable_kernel_name(const std::string& symbol) {
  if (!symbol.starts_with("_Z")) return symbol;
  int status = 0;
  const std::unique_ptr<char, Free> text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status));
  return status == 0 && text ? std::string(text.get()) : symbol;
}

}  // namespace rooflab::counters
