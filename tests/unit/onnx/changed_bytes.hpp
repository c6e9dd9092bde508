#pragma once

#include <gtest/gtest.h>

#include <string>

#include "rooflab/base/error.hpp"
#include "rooflab/onnx/onnx_reader.hpp"

namespace rooflab::onnx {

/// Changes each byte of a file in four ways: it is read or refused with an Error, never worse.
inline void expect_every_changed_byte_is_read_or_refused(const std::string& whole) {
  int read = 0;
  for (std::size_t place = 0; place < whole.size(); ++place) {
    for (const char flip : {'\x01', '\x40', '\x7f', '\xff'}) {
      std::string changed = whole;
      changed[place] = static_cast<char>(changed[place] ^ flip);
      try {
        (void)read_onnx_bytes(changed, "m.onnx");
        ++read;
      } catch (const Error&) {
      }
    }
  }
  EXPECT_GT(read, 0);
}

}  // namespace rooflab::onnx
