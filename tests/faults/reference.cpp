#include "reference.hpp"

#include <algorithm>
#include <optional>
#include <sstream>
#include <string_view>

#include "rooflab/base/json.hpp"

namespace faults {
namespace {

using rooflab::Json;

/// Whether a list is a row of a table: then its columns are separate places.
bool is_row(const Json& list) {
  return std::ranges::none_of(list,
                              [](const Json& each) { return each.is_array() || each.is_object(); });
}

/// Collects the places at which two values differ; all objects and rows in a list share one.
void compare(const Json& a, const Json& b, const std::string& place, std::set<std::string>& found) {
  if (a.is_object() && b.is_object() && a.keys() == b.keys()) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      compare(a.begin()[i], b.begin()[i], place + "." + a.keys()[i], found);
    }
  } else if (a.is_array() && b.is_array() && a.size() == b.size()) {
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::string index = is_row(a) ? std::to_string(i) : "";
      compare(a.begin()[i], b.begin()[i], place + "[" + index + "]", found);
    }
  } else if (!(a == b)) {
    found.insert(place);
  }
}

/// A JSON text, or a journal as a list of its lines.
std::optional<Json> parsed(const std::string& name, const std::string& content) {
  if (name.ends_with(".json")) return Json::parse_if_valid(content);
  if (!name.ends_with(".jsonl")) return std::nullopt;
  Json list = Json::array();
  std::istringstream lines(content);
  for (std::string line; std::getline(lines, line);) {
    std::optional<Json> value = Json::parse_if_valid(line);
    if (!value) return std::nullopt;
    list.push_back(std::move(*value));
  }
  return list;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// The files of a zip archive, as PyTorch's are: name and content of each. What is between and
/// behind them are paddings and a table of places: they change with the length of any file.
std::vector<std::string> files_of(const std::string& archive) {
  constexpr std::string_view mark = "PK\3\4";
  constexpr std::size_t length_of_name = 26;
  constexpr std::size_t length_of_padding = 28;
  constexpr std::size_t head = 30;
  const auto number_at = [&archive](std::size_t at) -> std::size_t {
    return static_cast<unsigned char>(archive[at]) +
           256U * static_cast<unsigned char>(archive[at + 1]);
  };
  const std::size_t table = archive.find("PK\1\2");
  std::vector<std::string> files;
  for (std::size_t at = archive.find(mark); at < table;) {
    const std::size_t next = std::min(archive.find(mark, at + head), table);
    const std::string name = archive.substr(at + head, number_at(at + length_of_name));
    const std::size_t begin = at + head + name.size() + number_at(at + length_of_padding);
    files.push_back(name + archive.substr(begin, next - begin));
    at = next;
  }
  return files;
}

std::set<std::string> changed_parts(const std::string& name, const std::string& a,
                                    const std::string& b) {
  const bool is_archive = name.ends_with(".pt");
  const std::vector<std::string> left = is_archive ? files_of(a) : lines_of(a);
  const std::vector<std::string> right = is_archive ? files_of(b) : lines_of(b);
  if (left.size() != right.size()) return {name};
  std::set<std::string> found;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i] == right[i]) continue;
    found.insert(name + (is_archive ? ": file " : ": line ") + std::to_string(i + 1));
  }
  return found;
}

std::set<std::string> changes(const std::string& name, const std::string& a, const std::string& b) {
  if (a == b) return {};
  const std::optional<Json> left = parsed(name, a);
  const std::optional<Json> right = parsed(name, b);
  if (!left || !right) return changed_parts(name, a, b);
  std::set<std::string> found;
  compare(*left, *right, name + ": ", found);
  return found;
}

}  // namespace

void Reference::add(const sandbox::FolderState& state) {
  if (first_.empty()) {
    first_ = state;
    return;
  }
  for (const auto& [name, content] : first_) {
    const auto other = state.find(name);
    if (other == state.end()) {
      changing_.insert(name);
    } else {
      changing_.merge(changes(name, content, other->second));
    }
  }
  for (const auto& [name, content] : state) {
    if (!first_.contains(name)) changing_.insert(name);
  }
}

std::vector<std::string> Reference::differences(const sandbox::FolderState& state) const {
  std::vector<std::string> found;
  for (const auto& [name, content] : first_) {
    const auto other = state.find(name);
    if (other == state.end()) {
      if (!changing_.contains(name)) found.push_back(name + " is missing");
      continue;
    }
    for (const std::string& place : changes(name, content, other->second)) {
      if (!changing_.contains(place)) found.push_back(place + " differs");
    }
  }
  for (const auto& [name, content] : state) {
    if (!first_.contains(name) && !changing_.contains(name)) {
      found.push_back(name + std::string(is_too_much));
    }
  }
  return found;
}

}  // namespace faults
