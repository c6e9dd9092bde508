#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "import/ncu/field_splitter.hpp"
#include "import/ncu/log_buffer.hpp"
#include "rooflab/import/readers.hpp"

namespace rooflab::import {

/// Lines of a file in which tables of CSV stand among other text. A record may span lines, because
/// a name may hold line feeds.
///
///     while (records.next()) {
///       if (!records.split()) continue;  // the line is passed over
///       if (is_row(records.fields())) records.take();
///     }
class CsvRecords {
 public:
  CsvRecords(ByteSource& source, const ImportOptions& options);

  /// Moves behind the record that was taken, else behind the line; false: the file ends there.
  [[nodiscard]] bool next();
  /// The line, without blanks at its ends. Valid until next().
  [[nodiscard]] std::string_view line() const;
  [[nodiscard]] std::int64_t number() const { return number_; }  ///< line number, from 1

  /// Splits the record that begins here; false: it is not CSV.
  [[nodiscard]] bool split();
  /// Fields of the record that was split.
  [[nodiscard]] std::span<const std::string_view> fields() const { return splitter_.fields(); }
  /// Takes the record that was split, with all its lines.
  void take() { taken_ = true; }

 private:
  void fill();

  ByteSource& source_;
  const ImportOptions& options_;
  ncu::LogBuffer buffer_;
  ncu::FieldSplitter splitter_;
  std::int64_t number_ = 0;
  bool taken_ = false;
};

}  // namespace rooflab::import
