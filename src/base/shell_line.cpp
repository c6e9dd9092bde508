#include <string_view>

#include "rooflab/base/text.hpp"
#include "shell_words.hpp"

namespace rooflab {
namespace {

/// Letters that no shell acts on.
bool is_plain(char c) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./,:@%";
  return plain.find(c) != plain.npos;
}

bool is_plain_word(std::string_view word) {
  for (const char c : word) {
    if (!is_plain(c)) return false;
  }
  return !word.empty();
}

}  // namespace

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    if (!line.empty()) line += ' ';
    if (is_plain_word(word)) {
      line += word;
      continue;
    }
    line += '\'';
    for (const char c : word) line += c == '\'' ? std::string("'\\''") : std::string(1, c);
    line += '\'';
  }
  return line;
}

std::optional<std::vector<std::string>> shell_words(std::string_view line) {
  std::vector<std::string> words;
  bool open = false;  // whether a word has begun
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == ' ') {
      open = false;
      continue;
    }
    if (!open) words.emplace_back();
    open = true;
    if (c == '\'') {
      const std::size_t end = line.find('\'', i + 1);
      if (end == line.npos) return std::nullopt;
      words.back() += line.substr(i + 1, end - i - 1);
      i = end;
    } else if (c == '\\' && line.substr(i, 2) == "\\'") {
      words.back() += '\'';
      ++i;
    } else if (is_plain(c)) {
      words.back() += c;
    } else {
      return std::nullopt;
    }
  }
  // `NAME=value` in front would set a variable for the program behind it.
  if (words.empty() || words.front().find('=') != std::string::npos) return std::nullopt;
  return words;
}

std::string harmless_command(const std::string& line) {
  return line.empty() || shell_words(line) ? line : shell_line({line});
}

}  // namespace rooflab
