#include "text_extent.hpp"

#include <array>
#include <cstddef>
#include <functional>

#include "rooflab/base/text.hpp"
#include "safe_text.hpp"

namespace rooflab::chart {
namespace {

/// Thousandths of the font's size, from blank to tilde, of DejaVu Sans 2.37.
constexpr std::array<int, 95> ascii_widths = {
    318,  401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337,  // blank to /
    636,  636, 636, 636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531,  // 0 to ?
    1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656, 557, 863, 748, 787,  // @ to O
    603,  787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500,  // P to _
    500,  613, 635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612,  // ` to o
    635,  635, 411, 521, 392, 634, 592, 818, 592, 592, 525, 636, 337, 636, 838};      // p to ~

double advance(char32_t c) {
  if (c >= U' ' && c <= U'~') return ascii_widths.at(c - U' ') / 1000.0;
  const int columns = column_count(c);
  if (columns != 1) return columns == 0 ? 0.0 : 1.05;
  return c == U'…' || c == U'—' ? 1.0 : 0.8;
}

using Measure = std::function<double(std::string_view)>;

std::string elide(std::string_view text, double limit, std::string_view ellipsis,
                  const Measure& width_of) {
  if (width_of(text) <= limit) return std::string(text);
  std::string kept;
  for (const char32_t c : code_points(text)) {
    std::string longer = kept;
    append_utf8(longer, c);
    if (width_of(longer + std::string(ellipsis)) > limit) break;
    kept = longer;
  }
  return kept + std::string(ellipsis);
}

std::vector<std::string> wrap(std::string_view text, double limit, const Measure& width_of) {
  std::vector<std::string> lines;
  std::string line;
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    const std::string longer = line.empty() ? word : line + " " + word;
    if (width_of(longer) <= limit) {
      line = longer;
      continue;
    }
    if (!line.empty()) lines.push_back(line);
    line = elide(word, limit, "…", width_of);
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

}  // namespace

double text_width(std::string_view text, double font_px) {
  double width = 0.0;
  for (const char32_t c : code_points(text)) width += advance(c);
  return width * font_px;
}

int column_count(char32_t c) {
  if ((c >= 0x0300 && c <= 0x036F) || (c >= 0x200B && c <= 0x200F) ||
      (c >= 0xFE00 && c <= 0xFE0F)) {
    return 0;
  }
  const bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) ||
                    (c >= 0xAC00 && c <= 0xD7A3) || (c >= 0xF900 && c <= 0xFAFF) ||
                    (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
                    (c >= 0x1F300 && c <= 0x1F9FF) || (c >= 0x20000 && c <= 0x3FFFD);
  return wide ? 2 : 1;
}

int column_count(std::string_view text) {
  int columns = 0;
  for (const char32_t c : code_points(text)) columns += column_count(c);
  return columns;
}

std::string elide_to_width(std::string_view text, double font_px, double width) {
  return elide(text, width, "…", [&](std::string_view part) { return text_width(part, font_px); });
}

std::string elide_to_columns(std::string_view text, int columns, std::string_view ellipsis) {
  return elide(text, columns, ellipsis,
               [](std::string_view part) { return static_cast<double>(column_count(part)); });
}

std::string elide_middle_to_columns(std::string_view text, int columns) {
  if (column_count(text) <= columns) return std::string(text);
  const int of_end = (columns - 1) / 2;
  const std::vector<char32_t> letters = code_points(text);
  std::size_t end = letters.size();
  for (int used = 0; end > 0; --end) {
    used += column_count(letters[end - 1]);
    if (used > of_end) break;
  }
  std::string shown = elide_to_columns(text, columns - 1 - of_end, "") + "…";
  for (; end < letters.size(); ++end) append_utf8(shown, letters[end]);
  return shown;
}

std::vector<std::string> wrap_to_width(std::string_view text, double font_px, double width) {
  return wrap(text, width, [&](std::string_view part) { return text_width(part, font_px); });
}

std::vector<std::string> wrap_to_columns(std::string_view text, int columns) {
  return wrap(text, columns,
              [](std::string_view part) { return static_cast<double>(column_count(part)); });
}

}  // namespace rooflab::chart
