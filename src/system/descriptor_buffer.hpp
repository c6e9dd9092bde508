#pragma once

#include <array>
#include <streambuf>

#include "file_descriptor.hpp"

namespace rooflab {

/// Buffer of a stream that writes into an open file. After the first failure nothing more is
/// written, and error() has the reason, which the stream does not know.
class DescriptorBuffer final : public std::streambuf {
 public:
  explicit DescriptorBuffer(const FileDescriptor& file);

  [[nodiscard]] int error() const { return error_; }  ///< errno of the failure; 0: nothing failed

 protected:
  int_type overflow(int_type letter) override;
  int sync() override;
  std::streamsize xsputn(const char* bytes, std::streamsize size) override;

 private:
  /// Writes the buffer and then `bytes`.
  bool write(std::string_view bytes);

  const FileDescriptor& file_;
  std::array<char, 1U << 16U> buffer_;
  int error_ = 0;
};

}  // namespace rooflab
