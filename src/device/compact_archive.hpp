#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

/// Writes values in few bytes that are equal on every machine. Structures are written field by
/// field in the order of their visit_fields().
///
/// Whole numbers are variable-length integers of 7 bits per byte, lowest first; signed ones with
/// the sign in the lowest bit (zigzag). Texts, vectors and maps begin with their length, optional
/// values with a byte 0 or 1. Printed values are usually decimal: a double is stored as the integer
/// m or the decimal m / 10^k with this quotient, else as its eight bytes:
///
///     m << 1          the integer m
///     m << 6 | k << 1 | 1   m / 10^k, with k of 1 to 22: both are exact doubles, so that the
///                     quotient is rounded once and is the double that the decimal means
///     31 << 1 | 1     the eight bytes of the double follow, lowest first
///
/// Source of the rule for k: Clinger, "How to read floating point numbers accurately", PLDI 1990.
namespace rooflab::device {

class CompactWriter {
 public:
  template <class... Fields>
  void operator()(const Fields&... fields) {
    (write(fields), ...);
  }

  [[nodiscard]] const std::string& bytes() const { return bytes_; }

 private:
  template <class T>
  void write(const T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      unsigned_integer(value ? 1 : 0);
    } else if constexpr (std::is_unsigned_v<T>) {
      unsigned_integer(value);
    } else if constexpr (std::is_integral_v<T>) {
      signed_integer(value);
    } else {
      visit_fields(*this, value);
    }
  }
  void write(const double& value);
  void write(const std::string& text);
  template <class T>
  void write(const std::optional<T>& value) {
    write(value.has_value());
    if (value) write(*value);
  }
  template <class T>
  void write(const std::vector<T>& values) {
    unsigned_integer(values.size());
    for (const T& value : values) write(value);
  }
  template <class Key, class T>
  void write(const std::map<Key, T>& values) {
    unsigned_integer(values.size());
    for (const auto& [key, value] : values) {
      write(key);
      write(value);
    }
  }

  void unsigned_integer(std::uint64_t value);
  void signed_integer(std::int64_t value);

  std::string bytes_;
};

/// Reads values that a CompactWriter wrote. Throws Error (capability) for bytes that no writer
/// wrote: too few of them, a number that does not fit, a length beyond the end.
class CompactReader {
 public:
  explicit CompactReader(std::string_view bytes) : rest_(bytes) {}

  template <class... Fields>
  void operator()(Fields&... fields) {
    (read(fields), ...);
  }

  [[nodiscard]] bool at_end() const { return rest_.empty(); }

 private:
  template <class T>
  void read(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      value = unsigned_integer(1) == 1;
    } else if constexpr (std::is_unsigned_v<T>) {
      value = static_cast<T>(unsigned_integer(std::numeric_limits<T>::max()));
    } else if constexpr (std::is_integral_v<T>) {
      value = static_cast<T>(
          signed_integer(std::numeric_limits<T>::min(), std::numeric_limits<T>::max()));
    } else {
      visit_fields(*this, value);
    }
  }
  void read(double& value);
  void read(std::string& text);
  template <class T>
  void read(std::optional<T>& value) {
    bool present = false;
    read(present);
    if (present) read(value.emplace());
  }
  template <class T>
  void read(std::vector<T>& values) {
    values.resize(length());
    for (T& value : values) read(value);
  }
  template <class Key, class T>
  void read(std::map<Key, T>& values) {
    const std::size_t count = length();
    for (std::size_t i = 0; i < count; ++i) {
      Key key{};
      read(key);
      read(values.emplace_hint(values.end(), std::move(key), T{})->second);
    }
  }

  [[nodiscard]] std::uint64_t unsigned_integer(
      std::uint64_t most = std::numeric_limits<std::uint64_t>::max());
  [[nodiscard]] std::int64_t signed_integer(std::int64_t least, std::int64_t most);
  /// Number of elements that follow, each with a byte or more.
  [[nodiscard]] std::size_t length();

  std::string_view rest_;
};

}  // namespace rooflab::device
