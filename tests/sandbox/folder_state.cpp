#include "folder_state.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "rooflab/base/json.hpp"

namespace sandbox {
namespace fs = std::filesystem;

namespace {

bool is_json(std::string_view text) { return rooflab::Json::parse_if_valid(text).has_value(); }

/// The first line that is not JSON; a last line without its end does not count.
bool is_journal(const std::string& text) {
  std::istringstream lines(text.substr(0, text.rfind('\n') + 1));
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty() && !is_json(line)) return false;
  }
  return true;
}

}  // namespace

FolderState read_folder(const fs::path& folder) {
  FolderState state;
  if (!fs::exists(folder)) return state;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string name = entry.path().lexically_relative(folder).string();
    if (entry.is_directory()) {
      if (fs::is_empty(entry.path())) state[name + "/"] = "";
      continue;
    }
    std::ifstream file(entry.path(), std::ios::binary);
    state[name] = {std::istreambuf_iterator<char>(file), {}};
  }
  return state;
}

void write_folder(const fs::path& folder, const FolderState& state) {
  fs::remove_all(folder);
  fs::create_directories(folder);
  for (const auto& [name, content] : state) {
    if (name.ends_with('/')) {
      fs::create_directories(folder / name);
      continue;
    }
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name, std::ios::binary) << content;
  }
}

std::vector<std::string> half_written(const FolderState& state) {
  std::vector<std::string> found;
  for (const auto& [name, content] : state) {
    const bool whole = name.ends_with(".json")    ? is_json(content)
                       : name.ends_with(".jsonl") ? is_journal(content)
                       : name.ends_with(".html")  ? content.ends_with("</html>\n")
                                                  : true;
    if (!whole) found.push_back(name);
  }
  return found;
}

std::vector<std::string> temporary_files(const FolderState& state) {
  static const std::regex temporary(R"(\.part($|\.)|\.tmp|\.partial|~$)");
  std::vector<std::string> found;
  for (const auto& [name, content] : state) {
    if (std::regex_search(name, temporary)) found.push_back(name);
  }
  return found;
}

}  // namespace sandbox
