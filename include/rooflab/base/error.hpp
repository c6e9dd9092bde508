#pragma once

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include "rooflab/base/version.hpp"

namespace rooflab {

/// Kinds of failure that the caller can act on. The command line maps `capability` to exit code 3
/// and the others to exit code 2.
enum class ErrorKind {
  usage,       ///< the request itself is wrong: unknown name, bad flag value
  input,       ///< a file or text the user gave is wrong
  range,       ///< a count of the request exceeds 64 bits: a smaller request might work
  capability,  ///< the request is fine, but this machine cannot meet it
  system,      ///< a file cannot be written: a full disk, a missing permission
};

/// A place in the *user's* file. `line` and `column` are 1-based; binary files use `byte_offset`.
struct Location {
  std::string file = {};
  std::optional<int> line = {};
  std::optional<int> column = {};
  std::optional<std::int64_t> byte_offset = {};

  /// `a.toml:12:5`, `m.onnx: byte 1024`, or empty without a file.
  [[nodiscard]] std::string to_string() const;
};

/// The only exception that the library throws for wrong input or environment.
///
/// `what()` is the bare message, `location` the place in the user's file, `hint` the advice.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, std::string hint = {}, Location location = {});

  [[nodiscard]] ErrorKind kind() const noexcept { return kind_; }
  /// Whether the user's input is wrong or too large.
  [[nodiscard]] bool is_of_input() const noexcept {
    return kind_ == ErrorKind::input || kind_ == ErrorKind::range;
  }
  [[nodiscard]] const std::string& hint() const noexcept { return hint_; }
  [[nodiscard]] const Location& location() const noexcept { return location_; }

  /// Returns this error with a location, unless it already has one.
  [[nodiscard]] Error at(Location location) const;

  /// The text `location: message` without the hint.
  [[nodiscard]] std::string full_message() const;

 private:
  ErrorKind kind_;
  std::string hint_;
  Location location_;
};

}  // namespace rooflab
