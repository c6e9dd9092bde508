#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/byte_source.hpp"

namespace rooflab {

/// The text of a file, piece by piece: unpacked where the file begins as gzip does (members behind
/// each other are one text, as `gzip -d` has it), else the file itself.
class UnpackedText {
 public:
  /// Throws Error (input) when the file cannot be opened or is empty; `what` it is: `trace`.
  UnpackedText(const std::filesystem::path& path, const std::string& what);
  /// The same over bytes in memory, which must outlive it.
  explicit UnpackedText(std::string_view bytes);
  ~UnpackedText();
  UnpackedText(const UnpackedText&) = delete;
  UnpackedText& operator=(const UnpackedText&) = delete;

  /// Fills up to `size` bytes. Fewer than asked for does not mean the end; 0 does. Throws Error
  /// (input) when the file cannot be read.
  [[nodiscard]] std::size_t read(char* into, std::size_t size);

  /// The part of the file that was read, 0 to 1.
  [[nodiscard]] double done() const { return packed_.done(); }

  /// What is wrong with the compressed data, as far as it was read (`its checksum is wrong`), also
  /// where it grows so much that it is not read to its end; empty: nothing.
  [[nodiscard]] const std::string& damage() const { return damage_; }

 private:
  class Gunzip;

  void detect();

  ByteSource packed_;
  std::string damage_;
  std::unique_ptr<Gunzip> gunzip_;  ///< null: the file is the text
};

}  // namespace rooflab
