#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "details_page.hpp"
#include "launch_list.hpp"
#include "log_buffer.hpp"
#include "log_facts.hpp"
#include "number_reader.hpp"
#include "printed_page.hpp"
#include "raw_page.hpp"
#include "rooflab/record/kernel_table.hpp"
#include "system/byte_source.hpp"

namespace rooflab::import::ncu {

/// Reads a log once, line by line: finds the tables between other output, and passes their rows to
/// the page that they belong to. The text for terminals has its own page.
class LogReader {
 public:
  LogReader(ByteSource& source, Notation notation, std::function<void(double)> progress);
  LogReader(const LogReader&) = delete;
  LogReader& operator=(const LogReader&) = delete;

  /// Reads the log. False: the numbers have the other notation, and the log must be read again with
  /// that. Throws Error (input) where the first bytes belong to another kind of file.
  [[nodiscard]] bool read();

  record::KernelTable kernels;
  LogFacts facts;
  [[nodiscard]] const NumberReader& numbers() const { return numbers_; }
  /// Line of the last header; nullopt: no table.
  [[nodiscard]] std::optional<std::int64_t> header_line() const { return header_line_; }

 private:
  bool step();
  /// The line at the start of the buffer, without its end; nullopt: longer than the buffer.
  [[nodiscard]] std::optional<std::string_view> whole_line();
  bool read_row(bool glued);
  bool read_header();
  void other_line(std::string_view line);
  void skip_long_line();
  void consume(std::size_t bytes, std::int64_t lines);

  LogBuffer buffer_;
  ByteSource* source_;
  std::function<void(double)> progress_;
  std::size_t since_progress_ = 0;
  NumberReader numbers_;
  LaunchList launches_;
  RawPage raw_;
  DetailsPage details_;
  TextPage text_;
  std::optional<Page> table_;  ///< page of the current CSV table
  bool quoted_ = true;
  std::optional<std::int64_t> header_line_;
};

}  // namespace rooflab::import::ncu
