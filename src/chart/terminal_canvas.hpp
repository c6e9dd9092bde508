#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rooflab::chart {

/// Cells of text over a layer of lines. Lines are dots of Braille letters, two by four to a cell,
/// or ASCII strokes.
class TerminalCanvas {
 public:
  TerminalCanvas(int columns, int rows, bool ascii);

  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] int rows() const { return rows_; }

  /// Draws a line between two places of the canvas, whose corners are (0, 0) and (1, 1), y upwards.
  void draw_line(double from_x, double from_y, double to_x, double to_y, int dash);

  /// Sets one cell, in a colour of palette.hpp or the terminal's own; a cell outside is ignored.
  void put(int column, int row, char32_t letter, std::optional<int> color = std::nullopt);

  /// Whether the cells for a text of `width` columns are free; `of_lines`: cells with lines are not
  /// free.
  [[nodiscard]] bool is_free(int column, int row, int width, bool of_lines) const;
  void write(int column, int row, std::string_view text);

  /// The text of a row; `colored`: with the escape sequences of colours.
  [[nodiscard]] std::string line(int row, bool colored = false) const;

 private:
  struct Cell {
    char32_t letter = 0;     // 0: none; the second column of a wide letter is `covered`
    unsigned char dots = 0;  // Braille
    char stroke = 0;         // ASCII
    std::optional<int> color = std::nullopt;
  };
  static constexpr char32_t covered = 0xFFFFFFFF;

  [[nodiscard]] bool contains(int column, int row) const;
  [[nodiscard]] Cell& at(int column, int row);
  [[nodiscard]] const Cell& at(int column, int row) const;

  int columns_;
  int rows_;
  bool ascii_;
  std::vector<Cell> cells_;
};

}  // namespace rooflab::chart
