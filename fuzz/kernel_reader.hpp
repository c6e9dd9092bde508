#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/assert.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/import/readers.hpp"

namespace rooflab::fuzz {

/// Any bytes end in a record or in an Error. A record has launches, and no figure of it is negative
/// or no number. `read` takes the bytes as a text.
template <typename Read>
void read_kernels(const std::uint8_t* data, std::size_t size, Read read) {
  try {
    const record::Record record = read(std::string_view(reinterpret_cast<const char*>(data), size));
    ROOFLAB_ASSERT(record.kernels && !record.kernels->empty());
    for (const record::KernelFigure figure : values_of<record::KernelFigure>) {
      const auto sum = record.kernels->sum(figure);
      ROOFLAB_ASSERT(!sum || *sum >= 0.0);
    }
  } catch (const Error&) {
  }
}

}  // namespace rooflab::fuzz
