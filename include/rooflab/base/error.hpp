#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

namespace rooflab {

/// Kinds of failure that the caller can act on. The command line maps `capability` to exit code 3
/// and the others to exit code 2.
enum class ErrorKind {
  usage,       ///< the request itself is wrong: unknown name, bad flag value
  input,       ///< a file or text the user gave is wrong
  range,       ///< a count of the request exceeds what 64 bits hold: a smaller one might do
  capability,  ///< the request is fine, but this machine cannot meet it
  system,      ///< a file cannot be written: a full disk, a missing permission
};

/// A place in the *user's* file. `line` and `column` are 1-based; binary files use `byte_offset`.
struct Location {
  std::string file;
  std::optional<int> line;
  std::optional<int> column;
  std::optional<std::int64_t> byte_offset;

  /// `a.toml:12:5`, `m.onnx: byte 1024`, or empty without a file.
  [[nodiscard]] std::string to_string() const;
};

/// The only exception that the library throws for wrong input or environment.
///
/// `what()` is the bare message; `location` says where in the user's file, `hint` what to do.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, std::string hint = {}, Location location = {});

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  /// What the user gave is wrong, or too large.
  [[nodiscard]] bool is_of_input() const noexcept {
    return kind_ == ErrorKind::input || kind_ == ErrorKind::range;
  }
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }
  [[nodiscard]] const Location& location() const noexcept { return location_; }

  /// The same error at a place; an inner location that is already set wins.
  [[nodiscard]] Error at(Location location) const;

  /// `location: message` without the hint.
  [[nodiscard]] std::string full_message() const;

 private:
  ErrorKind kind_;
  std::string hint_;
  Location location_;
};

}  // namespace rooflab
