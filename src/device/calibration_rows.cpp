#include "calibration_rows.hpp"

#include <charconv>
#include <cmath>
#include <utility>

#include "base/format.hpp"

namespace rooflab::device {
namespace {

constexpr std::string_view quotes = "'''";

/// One row, value by value.
class RowCursor {
 public:
  RowCursor(std::string_view line, Location place) : line_(line), place_(std::move(place)) {}

  [[nodiscard]] bool at_end() {
    while (next_ < line_.size() && is_blank(line_[next_])) ++next_;
    return next_ == line_.size();
  }

  /// The next value as a number.
  double number() {
    const std::string_view text = value();
    double number = 0.0;
    const auto [rest, status] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (status != std::errc() || rest != text.data() + text.size() || !std::isfinite(number)) {
      fail(format("'{}' is not a number", text));
    }
    return number;
  }

  /// nullopt for `-`.
  std::optional<double> number_or_dash() {
    if (line_.substr(next_, 1) == "-" &&
        (next_ + 1 == line_.size() || is_blank(line_[next_ + 1]))) {
      (void)value();
      return std::nullopt;
    }
    return number();
  }

  /// At the value read last, or at the end.
  [[noreturn]] void fail(std::string message, std::string hint = {}) const {
    Location location = place_;
    location.column = place_.column.value_or(1) + static_cast<int>(begin_);
    throw Error(ErrorKind::input, std::move(message), std::move(hint), location);
  }

  void point_at_next() { begin_ = next_; }

 private:
  static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

  std::string_view value() {
    begin_ = next_;
    while (next_ < line_.size() && !is_blank(line_[next_])) ++next_;
    return line_.substr(begin_, next_ - begin_);
  }

  std::string_view line_;
  Location place_;
  std::size_t begin_ = 0;  ///< begin of the value read last
  std::size_t next_ = 0;
};

OpRow read_row(RowCursor& cursor, std::size_t columns) {
  const auto expect_more = [&](std::size_t found) {
    if (!cursor.at_end()) return;
    cursor.point_at_next();
    cursor.fail(format("this row has {} values, its table asks for {}", found, columns + 2),
                format("{} sizes, the time in seconds and the workspace in bytes or '-'", columns));
  };
  OpRow row;
  row.sizes.reserve(columns);
  for (std::size_t i = 0; i < columns; ++i) {
    expect_more(i);
    row.sizes.push_back(cursor.number());
    if (row.sizes.back() < 0.0) cursor.fail("a size must not be below zero");
  }
  expect_more(columns);
  row.time_s = cursor.number();
  if (row.time_s <= 0.0 || !std::isnormal(row.time_s)) cursor.fail("a time must be above zero");
  expect_more(columns + 1);
  row.workspace_bytes = cursor.number_or_dash();
  if (row.workspace_bytes.value_or(0.0) < 0.0) {
    cursor.fail("a workspace must not be below zero", "'-' says that it is not known");
  }
  if (!cursor.at_end()) {
    cursor.point_at_next();
    cursor.fail(format("this row has more than the {} values that its table asks for", columns + 2),
                format("{} sizes, the time in seconds and the workspace in bytes or '-'", columns));
  }
  return row;
}

}  // namespace

RowReader::RowReader(std::string_view text) : text_(text), line_starts_{0} {
  for (std::size_t end = text.find('\n'); end != std::string_view::npos;
       end = text.find('\n', end + 1)) {
    line_starts_.push_back(end + 1);
  }
}

std::vector<OpRow> RowReader::read(const TomlValue& literal, std::size_t columns) const {
  (void)literal.as_string();
  Location place = literal.location();
  const auto line = static_cast<std::size_t>(place.line.value_or(1));
  const auto column = static_cast<std::size_t>(place.column.value_or(1));
  const std::size_t start =
      line <= line_starts_.size() ? line_starts_[line - 1] + column - 1 : text_.size();
  if (start >= text_.size() || !text_.substr(start).starts_with(quotes)) {
    throw literal.error(format("'{}' must be a text between '''", literal.path()),
                        "rows = ''' and then a row per line");
  }
  std::string_view rest = text_.substr(start + quotes.size());
  rest = rest.substr(0, rest.find(quotes));
  place.column = static_cast<int>(column + quotes.size());

  std::vector<OpRow> rows;
  while (true) {
    const std::size_t end = rest.find('\n');
    RowCursor cursor(rest.substr(0, end), place);
    if (!cursor.at_end()) rows.push_back(read_row(cursor, columns));
    if (end == std::string_view::npos) return rows;
    rest.remove_prefix(end + 1);
    place.line = place.line.value_or(1) + 1;
    place.column = 1;
  }
}

}  // namespace rooflab::device
