#include "terminal_canvas.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "palette.hpp"
#include "safe_text.hpp"
#include "text_extent.hpp"

namespace rooflab::chart {
namespace {

/// Bits of U+2800's dots by column and row of a cell.
constexpr std::array<std::array<unsigned char, 4>, 2> dot_bits = {
    {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}};

}  // namespace

TerminalCanvas::TerminalCanvas(int columns, int rows, bool ascii)
    : columns_(columns),
      rows_(rows),
      ascii_(ascii),
      cells_(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows)) {}

bool TerminalCanvas::contains(int column, int row) const {
  return column >= 0 && column < columns_ && row >= 0 && row < rows_;
}

TerminalCanvas::Cell& TerminalCanvas::at(int column, int row) {
  return cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                static_cast<std::size_t>(column)];
}

const TerminalCanvas::Cell& TerminalCanvas::at(int column, int row) const {
  return cells_[static_cast<std::size_t>(row) * static_cast<std::size_t>(columns_) +
                static_cast<std::size_t>(column)];
}

void TerminalCanvas::draw_line(double from_x, double from_y, double to_x, double to_y, int dash) {
  const int across = ascii_ ? 1 : 2;
  const int down = ascii_ ? 1 : 4;
  const double width = columns_ * across - 1;
  const double height = rows_ * down - 1;
  const double dx = (to_x - from_x) * width;
  const double dy = (to_y - from_y) * height;
  const int steps = std::max(1, static_cast<int>(std::ceil(std::max(std::abs(dx), std::abs(dy)))));
  const double slope = dx == 0.0 ? 1e9 : dy / dx;
  const char stroke = std::abs(slope) > 3.0   ? '|'
                      : std::abs(slope) < 0.2 ? '-'
                      : slope > 0.0           ? '/'
                                              : '\\';
  for (int step = 0; step <= steps; ++step) {
    if (dash > 0 && (step / dash) % 2 == 1) continue;
    const double share = static_cast<double>(step) / steps;
    const int x = static_cast<int>(std::lround(from_x * width + share * dx));
    const int y = static_cast<int>(std::lround((1.0 - from_y) * height - share * dy));
    if (!contains(x / across, y / down)) continue;
    Cell& cell = at(x / across, y / down);
    cell.stroke = stroke;
    if (!ascii_) {
      cell.dots |= dot_bits.at(static_cast<std::size_t>(x % 2)).at(static_cast<std::size_t>(y % 4));
    }
  }
}

void TerminalCanvas::put(int column, int row, char32_t letter, std::optional<int> color) {
  if (!contains(column, row)) return;
  at(column, row).letter = letter;
  at(column, row).color = color;
}

bool TerminalCanvas::is_free(int column, int row, int width, bool of_lines) const {
  if (!contains(column, row) || !contains(column + width - 1, row)) return false;
  for (int i = column; i < column + width; ++i) {
    const Cell& cell = at(i, row);
    if (cell.letter != 0 || (of_lines && cell.stroke != 0)) return false;
  }
  return true;
}

void TerminalCanvas::write(int column, int row, std::string_view text) {
  for (const char32_t c : code_points(text)) {
    const int width = column_count(c);
    if (width == 0) continue;
    put(column, row, c);
    if (width == 2) put(column + 1, row, covered);
    column += width;
  }
}

std::string TerminalCanvas::line(int row, bool colored) const {
  std::string text;
  for (int column = 0; column < columns_; ++column) {
    const Cell& cell = at(column, row);
    if (cell.letter == covered) continue;
    if (cell.letter != 0) {
      std::string letter;
      append_utf8(letter, cell.letter);
      text += colored && cell.color ? in_terminal_color(letter, *cell.color) : letter;
    } else if (cell.dots != 0) {
      append_utf8(text, 0x2800U + cell.dots);
    } else {
      text += ascii_ && cell.stroke != 0 ? cell.stroke : ' ';
    }
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace rooflab::chart
