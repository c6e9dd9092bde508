#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace rooflab::import {

/// The bytes of a file (or pipe), or of a text in memory, in order.
class ByteSource {
 public:
  /// `what` names the file in errors: `cannot read the trace: REASON`. Throws Error (input) with
  /// the system's reason.
  ByteSource(const std::filesystem::path& path, std::string_view what);
  /// The text must outlive the source.
  explicit ByteSource(std::string_view text) : text_(text) {}
  ~ByteSource();
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;

  /// Up to `size` bytes; 0 at the end. Throws Error (input) when the system fails.
  [[nodiscard]] std::size_t read(char* to, std::size_t size);

  /// Starts again; false for a pipe.
  [[nodiscard]] bool rewind();

  /// Bytes of a text in memory; nullopt for a file, which may grow.
  [[nodiscard]] std::optional<std::size_t> size() const;

  /// Part that was read, 0 to 1; 0 where the size is not known.
  [[nodiscard]] double done() const;

 private:
  [[noreturn]] void fail(std::string_view reason) const;

  std::filesystem::path path_;
  std::string what_;
  int descriptor_ = -1;
  std::string_view text_;
  std::int64_t size_ = 0;
  std::int64_t position_ = 0;
};

}  // namespace rooflab::import
