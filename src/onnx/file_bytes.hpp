#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "system/file_descriptor.hpp"

namespace rooflab::onnx {

/// A file in the address space that is read on demand: skipping a gigabyte costs nothing. It is a
/// copy, not a mapping of the file, because touching a page of a file that has shrunk would end the
/// process.
class FileBytes {
 public:
  /// Opens a file. Throws Error (input) with the system's reason, also for a directory or an empty
  /// file.
  explicit FileBytes(const std::filesystem::path& path);
  ~FileBytes();
  FileBytes(const FileBytes&) = delete;
  FileBytes& operator=(const FileBytes&) = delete;

  /// All bytes of the file: zeros where nothing was read yet.
  [[nodiscard]] std::string_view bytes() const { return {data_, size_}; }

  /// Reads a part of bytes(), unless it was read before. Throws Error (input) where the file ends
  /// earlier than when it was opened, or cannot be read.
  void load(std::string_view part) const {
    if (part.empty()) return;
    const auto begin = static_cast<std::size_t>(part.data() - data_);
    if (begin < known_begin_ || begin + part.size() > known_end_) load(begin, begin + part.size());
  }

 private:
  void load(std::size_t begin, std::size_t end) const;
  void read(std::size_t begin, std::size_t end) const;

  std::filesystem::path path_;
  FileDescriptor file_;
  char* data_ = nullptr;
  std::size_t size_ = 0;
  mutable std::vector<bool> loaded_;     ///< blocks
  mutable std::size_t known_begin_ = 0;  ///< the last part, which most requests are in
  mutable std::size_t known_end_ = 0;
  mutable std::size_t ahead_ = 0;  ///< blocks to read in addition to a request
};

/// Bytes of a file that are read on demand, or of a text in memory.
class StoredBytes {
 public:
  StoredBytes() = default;
  /// Takes bytes; `file`: the file to read them from first; nullptr: they are in memory.
  StoredBytes(std::string_view bytes, const FileBytes* file) : bytes_(bytes), file_(file) {}

  [[nodiscard]] bool empty() const { return bytes_.empty(); }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  /// Place of the bytes, for offsets.
  [[nodiscard]] const char* place() const { return bytes_.data(); }
  /// Reads the bytes. Throws as FileBytes::load().
  [[nodiscard]] std::string_view read() const {
    if (file_ != nullptr) file_->load(bytes_);
    return bytes_;
  }

 private:
  std::string_view bytes_;
  const FileBytes* file_ = nullptr;
};

}  // namespace rooflab::onnx
