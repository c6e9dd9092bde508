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
  /// A file that is open, from its beginning; `path` is its name in errors.
  ByteSource(FileDescriptor file, const std::filesystem::path& path, std::string_view what);
  /// The text must outlive the source.
  explicit ByteSource(std::string_view text) : text_(text) {}

  /// Up to `size` bytes; 0 at the end. Throws Error (input) when the system fails.
  [[nodiscard]] std::size_t read(char* to, std::size_t size);

  /// The next `size` bytes, fewer only at the end.
  [[nodiscard]] std::string take(std::size_t size);

  /// Starts again.
  void rewind();

  /// Bytes of a text in memory; nullopt for a file, which may grow.
  [[nodiscard]] std::optional<std::size_t> size() const;

  /// Bytes that are left as far as the system tells; 0 where it does not.
  [[nodiscard]] std::size_t expected() const;

  /// Part that was read, 0 to 1; 0 where the size is not known.
  [[nodiscard]] double done() const;

  /// Throws the error of a file that cannot be read, for `reason`.
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
