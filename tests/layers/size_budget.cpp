#include "size_budget.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <sstream>

#include "layer_rules.hpp"

namespace rooflab::layers {
namespace {

namespace fs = std::filesystem;

constexpr int most_file_lines = 400;
constexpr int most_function_lines = 70;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  std::istringstream stream{std::string(text)};
  for (std::string line; std::getline(stream, line);) lines.push_back(std::move(line));
  return lines;
}

/// The name in front of the first bracket of a signature; nullopt: not a function.
std::optional<std::string> name_in(std::string_view signature) {
  const std::size_t bracket = signature.find('(');
  if (bracket == std::string_view::npos) return std::nullopt;
  const std::string_view before = signature.substr(0, bracket);
  const std::size_t begin = before.find_last_of(" *&") + 1;  // npos + 1 is 0
  const std::string name(before.substr(begin));
  constexpr std::array words = {"if", "for", "while", "switch", "catch", ""};
  if (std::ranges::find(words, name) != words.end()) return std::nullopt;
  return name;
}

/// Functions whose first and last line are indented by `margin` blanks.
void add_functions(const std::vector<std::string>& lines, std::size_t margin,
                   std::vector<FunctionSize>& found) {
  const std::string end = std::string(margin, ' ') + "}";
  std::optional<std::size_t> begin;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::string& line = lines[i];
    if (line == end && begin) {
      std::string signature;
      for (std::size_t j = *begin; j < i && signature.find('(') == std::string::npos; ++j) {
        signature += (signature.empty() ? "" : " ") + lines[j].substr(margin);
      }
      if (const auto name = name_in(signature)) {
        found.push_back({*name, static_cast<int>(*begin) + 1, static_cast<int>(i - *begin) + 1});
      }
      begin.reset();
    } else if (line.size() > margin && line.find_first_not_of(' ') == margin &&
               std::string_view("/#}").find(line[margin]) == std::string_view::npos) {
      begin = i;
    }
  }
}

/// `N lines, the budget is M`, where it is above; a lower budget where it is below.
void compare(const std::string& what, int lines, int limit, bool listed,
             std::vector<std::string>& findings) {
  const std::string text =
      what + ": " + std::to_string(lines) + " lines, the limit is " + std::to_string(limit);
  if (lines > limit) findings.push_back(text);
  if (listed && lines < limit) findings.push_back(text + ": lower it in tools/layers.txt");
}

}  // namespace

SizeBudget parse_budget(std::string_view text) {
  SizeBudget budget;
  for (const std::string& line : lines_of(text)) {
    std::istringstream stream(line.substr(0, line.find('#')));
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    if (words.empty() || (words[0] != "lines" && words[0] != "long")) continue;
    const bool whole = words.back().find_first_not_of("0123456789") == std::string::npos;
    const std::size_t names = words.size() - 2;  // behind the first word, before the number
    if (!whole || names < 1 || names > 2 || words[names].back() != ':') {
      budget.problems.push_back("not understood: " + line);
      continue;
    }
    words[names].pop_back();
    const int number = std::stoi(words.back());
    if (words[0] == "lines") {
      budget.rooms[words[1]] = number;
    } else if (names == 1) {
      budget.long_files[words[1]] = number;
    } else {
      budget.long_functions[words[1] + " " + words[2]] = number;
    }
  }
  return budget;
}

std::vector<FunctionSize> functions_of(std::string_view text) {
  const std::vector<std::string> lines = lines_of(text);
  std::vector<FunctionSize> found;
  for (const std::size_t margin : {0U, 2U}) add_functions(lines, margin, found);
  return found;
}

std::vector<std::string> check_sizes(const SizeBudget& budget,
                                     const std::map<fs::path, std::string>& sources) {
  std::vector<std::string> findings = budget.problems;
  std::map<std::string, int> rooms;
  SizeBudget unused = budget;
  for (const auto& [path, text] : sources) {
    const std::string file = path.string();
    const int lines = static_cast<int>(std::ranges::count(text, '\n'));
    rooms[room_of(path)] += lines;
    const auto listed = budget.long_files.find(file);
    unused.long_files.erase(file);
    compare(file, lines, listed == budget.long_files.end() ? most_file_lines : listed->second,
            listed != budget.long_files.end(), findings);
    for (const FunctionSize& function : functions_of(text)) {
      const std::string name = file + " " + function.name;
      const auto exception = budget.long_functions.find(name);
      if (exception == budget.long_functions.end()) {
        compare(file + ":" + std::to_string(function.line) + ": " + function.name, function.lines,
                most_function_lines, false, findings);
      } else if (function.lines > most_function_lines) {  // of one name there may be several
        unused.long_functions.erase(name);
        compare(name, function.lines, exception->second, true, findings);
      }
    }
  }
  for (const auto& [room, lines] : rooms) {
    const auto limit = budget.rooms.find(room);
    if (limit == budget.rooms.end()) {
      findings.push_back(room + ": tools/layers.txt has no `lines` of this room");
    } else {
      compare("room " + room, lines, limit->second, false, findings);
    }
  }
  for (const auto* const rest : {&unused.long_files, &unused.long_functions}) {
    for (const auto& [name, lines] : *rest) {
      findings.push_back(name + ": is not long any more: take it out of tools/layers.txt");
    }
  }
  return findings;
}

}  // namespace rooflab::layers
