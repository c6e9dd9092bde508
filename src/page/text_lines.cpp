#include "text_lines.hpp"

#include "chart/text_extent.hpp"
#include "rooflab/base/text.hpp"
#include "text_table.hpp"

namespace rooflab::page {
namespace {

/// The pieces of a command between which a line may end: words with the blank behind them, and the
/// elements of lists with their commas.
std::vector<std::string> pieces_of(std::string_view command) {
  std::vector<std::string> pieces(1);
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    pieces.back() += c;
    if (c == '\\' && quote != '\'' && i + 1 < command.size()) {
      pieces.back() += command[++i];
    } else if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == ' ' || c == ',') {
      pieces.emplace_back();
    }
  }
  if (pieces.back().empty()) pieces.pop_back();
  return pieces;
}

}  // namespace

std::vector<std::string> wrapped_lines(std::string_view text, std::size_t width) {
  if (text.empty()) return {};
  if (width == 0 || width_of(text) <= width) return {std::string(text)};
  std::vector<std::string> lines;
  std::string line;
  for (std::string word : split(std::string(text), ' ')) {
    const std::string longer = line.empty() ? word : line + " " + word;
    if (width_of(longer) <= width) {
      line = longer;
      continue;
    }
    if (!line.empty()) lines.push_back(line);
    while (width_of(word) > width) {
      const std::string part = chart::elide_to_columns(word, static_cast<int>(width), "");
      if (part.empty()) break;  // a letter that is wider than a line
      lines.push_back(part);
      word.erase(0, part.size());
    }
    line = word;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

std::vector<std::string> command_lines(std::string_view command, std::size_t width) {
  if (width == 0 || width_of(command) <= width) return {std::string(command)};
  std::vector<std::string> lines(1);
  for (const std::string& piece : pieces_of(command)) {
    if (!lines.back().empty() && width_of(lines.back()) + width_of(piece) + 1 > width) {
      lines.back() += '\\';
      lines.emplace_back();
    }
    lines.back() += piece;
  }
  return lines;
}

}  // namespace rooflab::page
