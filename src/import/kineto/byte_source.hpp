#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace rooflab::import::kineto {

/// The uncompressed text of a trace, piece by piece.
class ByteSource {
 public:
  ByteSource() = default;
  ByteSource(const ByteSource&) = delete;
  ByteSource& operator=(const ByteSource&) = delete;
  virtual ~ByteSource() = default;

  /// Fills up to `size` bytes; fewer than asked for is no sign of the end, 0 is.
  /// Throws Error (input) when the file cannot be read.
  [[nodiscard]] virtual std::size_t read(char* into, std::size_t size) = 0;

  /// The part of the file that was read, 0 to 1.
  [[nodiscard]] virtual double done() const = 0;

  /// Why the text ended before the file did (`the compressed data is damaged`); empty: it did not.
  [[nodiscard]] const std::string& damage() const { return damage_; }

 protected:
  std::string damage_;
};

/// A file, unpacked where it begins as gzip does (members behind each other are one text, as
/// `gzip -d` has it). Throws Error (input) when it cannot be opened or is empty.
[[nodiscard]] std::unique_ptr<ByteSource> open_file(const std::filesystem::path& path);

/// The same over bytes in memory, which must outlive it.
[[nodiscard]] std::unique_ptr<ByteSource> open_bytes(std::string_view bytes);

}  // namespace rooflab::import::kineto
