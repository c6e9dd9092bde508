#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "system/byte_source.hpp"

namespace rooflab {

/// Reads the text of a file in pieces: unpacked if the file begins like gzip (consecutive members
/// are one text, as for `gzip -d`), else the file itself.
class UnpackedText {
 public:
  /// Opens a file. `what`: its kind for errors, `trace`. Throws Error (input) when it cannot be
  /// opened or is empty.
  UnpackedText(const std::filesystem::path& path, const std::string& what);
  /// Takes bytes in memory, which must outlive this object.
  explicit UnpackedText(std::string_view bytes);
  ~UnpackedText();
  UnpackedText(const UnpackedText&) = delete;
  UnpackedText& operator=(const UnpackedText&) = delete;

  /// Fills up to `size` bytes. Fewer bytes than requested do not mean the end; 0 bytes do. Throws
  /// Error (input) when the file cannot be read.
  [[nodiscard]] std::size_t read(char* into, std::size_t size);

  /// The part of the file that was read, 0 to 1.
  [[nodiscard]] double done() const { return packed_.done(); }

  /// Error in the compressed data that were read (`its checksum is wrong`), or an expansion so
  /// large that they are not read to the end; empty: none.
  [[nodiscard]] const std::string& damage() const { return damage_; }

 private:
  class Gunzip;

  void detect();

  ByteSource packed_;
  std::string damage_;
  std::unique_ptr<Gunzip> gunzip_;  ///< nullptr: the file is not compressed
};

}  // namespace rooflab
