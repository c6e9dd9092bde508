#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace rooflab::import::ncu {

/// Meaning of `.` and `,`: grouping of digits, or begin of the decimals.
enum class Notation : std::uint8_t {
  english,   ///< 1,234.5
  european,  ///< 1.234,5
};

struct Reading {
  enum class Kind : std::uint8_t {
    number,
    absent,      ///< not collected: empty, `n/a`, `nan`, `inf`, `no data`
    doubtful,    ///< ncu marks it with `(!)`
    unreadable,  ///< not a number in the assumed notation
  };
  Kind kind = Kind::absent;
  double value = 0.0;
};

/// Reads ncu's numbers, which are printed by the user's locale: `1,234.5`, `1.234,5`, `1 234,5`.
///
/// A single value such as `1,234` is ambiguous, unless it is a count in its base unit: 1.234 bytes
/// are impossible, so there `1,234` is English and `1.234` is not. A whole file decides: `26.67`,
/// `1,234,567` and `1,234.5` are English, `26,67`, `1.234.567` and `1.234,5` are not. The reader
/// counts both notations; if the other one has the majority, the file is read again with that
/// (contradicted()). A file with only values such as `1,234` is read as English, and those values
/// are counted (ambiguous()).
class NumberReader {
 public:
  explicit NumberReader(Notation assumed) : notation_(assumed) {}

  /// Reads a number. `whole`: the value is a count in its base unit, which has no fraction.
  [[nodiscard]] Reading read(std::string_view text, bool whole = false);

  /// Uses a text only as evidence.
  void observe(std::string_view text);

  [[nodiscard]] Notation notation() const { return notation_; }
  [[nodiscard]] bool contradicted() const {
    return notation_ == Notation::english && european_ > english_;
  }
  /// Whether both notations were seen.
  [[nodiscard]] bool mixed() const { return european_ > 0 && english_ > 0; }
  [[nodiscard]] bool undecided() const { return european_ == 0 && english_ == 0; }
  /// Number of values that fit both notations; the first of them is available too.
  [[nodiscard]] std::int64_t ambiguous() const { return ambiguous_; }
  [[nodiscard]] const std::string& first_ambiguous() const { return first_ambiguous_; }

 private:
  [[nodiscard]] Reading read_with_marks(std::string_view text, bool whole);

  Notation notation_;
  std::int64_t english_ = 0;
  std::int64_t european_ = 0;
  std::int64_t ambiguous_ = 0;
  std::string first_ambiguous_;
};

}  // namespace rooflab::import::ncu
