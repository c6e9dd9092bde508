#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "file_descriptor.hpp"

namespace rooflab {

/// The bytes of a file, or of a text in memory, in order.
class ByteSource {
 public:
  /// Opens a regular file. `what` names it in errors at the file: `cannot read the trace: REASON`;
  /// without it they are `cannot read 'FILE': REASON`. Throws Error (input).
  ByteSource(const std::filesystem::path& path, std::string_view what);
  /// Takes an open file, from its beginning; `path` is its name in errors.
  ByteSource(FileDescriptor file, const std::filesystem::path& path, std::string_view what);
  /// Takes a text, which must outlive the source.
  explicit ByteSource(std::string_view text) : text_(text) {}

  /// Reads up to `size` bytes; returns 0 at the end. Throws Error (input) when the system fails.
  [[nodiscard]] std::size_t read(char* to, std::size_t size);

  /// Reads the next `size` bytes; fewer only at the end.
  [[nodiscard]] std::string take(std::size_t size);

  /// Starts again from the beginning.
  void rewind();

  /// Bytes of a text in memory; nullopt for a file, which may grow.
  [[nodiscard]] std::optional<std::size_t> size() const;

  /// Number of remaining bytes; 0: not known.
  [[nodiscard]] std::size_t expected() const;

  /// Share that was read, 0 to 1; 0: the size is not known.
  [[nodiscard]] double done() const;

  /// Throws the error for a file that cannot be read because of `reason`.
  [[noreturn]] void fail(std::string_view reason, std::string hint = {}) const;

 private:
  std::filesystem::path path_;
  std::string what_;
  FileDescriptor file_;
  std::string_view text_;
  std::int64_t size_ = 0;
  std::int64_t position_ = 0;
};

}  // namespace rooflab
