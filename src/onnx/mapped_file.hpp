#pragma once

#include <filesystem>
#include <string_view>

namespace rooflab::onnx {

/// A file's bytes in the address space, read-only. Pages are read when touched and not ahead of
/// that, so stepping over a gigabyte costs nothing.
///
/// The file must not shrink while it is mapped: touching a page that is gone ends the process.
class MappedFile {
 public:
  /// Throws Error (input) with the system's reason; a directory or an empty file is an error too.
  explicit MappedFile(const std::filesystem::path& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::string_view bytes() const { return {data_, size_}; }

 private:
  const char* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace rooflab::onnx
