#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace rooflab {

/// An open file of the system, closed by the destructor. -1: none.
class FileDescriptor {
 public:
  explicit FileDescriptor(int number = -1) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  FileDescriptor(const FileDescriptor&) = delete;
  FileDescriptor& operator=(const FileDescriptor&) = delete;
  ~FileDescriptor() { close(); }

  [[nodiscard]] int number() const { return number_; }
  [[nodiscard]] explicit operator bool() const { return number_ >= 0; }
  /// Closes the file; false: the system could not write its remaining data, and `errno` has the
  /// reason.
  bool close();

 private:
  int number_;
};

/// Writes all bytes; false: they were not written, and `errno` has the reason.
[[nodiscard]] bool write_all(const FileDescriptor& file, std::string_view bytes);

/// Fills `bytes` from a place of the file. Returns the reason of a failure; empty: success.
[[nodiscard]] std::string read_all_at(const FileDescriptor& file, std::int64_t place,
                                      std::span<char> bytes);

/// A regular file that is open for reading, or the reason why it is not.
struct RegularFile {
  FileDescriptor file;
  std::int64_t size = 0;  ///< 0 for files of /proc, whatever they contain
  std::string fault;      ///< the reason in words; empty: the file is open
  std::string hint;       ///< further advice; may be empty
};

/// Opens a regular file, the only kind that Rooflab reads: a pipe loses what was read to detect its
/// format, and a device may have no end. Never waits, not even for the writer of a named pipe.
[[nodiscard]] RegularFile open_regular_file(const std::filesystem::path& path);

}  // namespace rooflab
