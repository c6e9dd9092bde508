#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rooflab::import::ncu {

enum class SplitStatus : std::uint8_t {
  complete,
  incomplete,  ///< the text ends inside the record
  broken,      ///< not CSV: there is text after a closing quote
};

/// Splits one CSV record: quoted fields may contain commas, doubled quotes and line feeds. Only the
/// needed columns are kept, because a row can have hundreds.
///
/// An unclosed quote must not consume the rest of the file: a record may span at most 64 line
/// feeds, and a quote before anything but a comma or the line's end breaks it.
class FieldSplitter {
 public:
  /// Keeps every field, in order.
  FieldSplitter() = default;

  /// Keeps the fields of these columns (ascending): fields()[i] is that of columns[i].
  explicit FieldSplitter(std::span<const std::size_t> columns);

  /// Reads the record at the start of `text`. `at_end`: nothing follows the text, so that its end
  /// may end the record. Views are valid as long as the text, and until the next call.
  [[nodiscard]] SplitStatus split(std::string_view text, bool at_end);

  /// Fields of a complete record. A field that the record does not have is empty.
  [[nodiscard]] std::span<const std::string_view> fields() const { return fields_; }
  [[nodiscard]] std::size_t field_count() const { return count_; }  ///< kept or not
  [[nodiscard]] std::size_t bytes() const { return bytes_; }        ///< with its line feed
  [[nodiscard]] std::int64_t line_feeds() const { return line_feeds_; }
  /// Whether the record has an unquoted field that is not empty.
  [[nodiscard]] bool has_bare_field() const { return has_bare_field_; }

 private:
  class Cursor;

  template <bool all>
  SplitStatus split_as(std::string_view text, bool at_end);
  void unescape();

  bool keep_all_ = true;
  std::vector<std::size_t> columns_;  ///< kept columns, and one that no record has
  std::vector<std::string_view> fields_;
  std::vector<std::string> unescaped_;
  std::size_t count_ = 0;
  std::size_t bytes_ = 0;
  std::int64_t line_feeds_ = 0;
  bool has_bare_field_ = false;
  bool has_doubled_quote_ = false;
};

}  // namespace rooflab::import::ncu
