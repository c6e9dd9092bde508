#include "folder_state.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "rooflab/base/json.hpp"
#include "system/unpacked_text.hpp"

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

/// The lines of a file, unpacked; empty where it is damaged.
std::string unpacked(const std::string& content) {
  rooflab::UnpackedText text(content);
  std::string whole;
  constexpr std::size_t at_once = 65536;
  for (std::size_t size = at_once; size > 0;) {
    const std::size_t before = whole.size();
    whole.resize(before + at_once);
    size = text.read(whole.data() + before, at_once);
    whole.resize(before + size);
  }
  return text.damage().empty() ? whole : "";
}

/// Whether a recording of the Python package has its last line, `{"end":...}`.
bool is_recording(const std::string& content) {
  if (content.empty()) return false;
  const std::string text = unpacked(content);
  const std::size_t last = text.rfind('\n', text.size() - std::min<std::size_t>(text.size(), 2));
  return text.ends_with('\n') && is_journal(text) &&
         text.find("{\"end\":", last == text.npos ? 0 : last) != text.npos;
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
    const bool records = name.ends_with(".rec.jsonl") || name.ends_with(".rec.jsonl.gz");
    const bool whole = records                    ? is_recording(content)
                       : name.ends_with(".json")  ? is_json(content)
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
