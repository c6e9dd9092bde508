#include "project_files.hpp"

#include <fstream>
#include <sstream>

namespace rooflab::layers {
namespace {

namespace fs = std::filesystem;

const fs::path& project() {
  static const fs::path root = ROOFLAB_SOURCE_DIR;
  return root;
}

}  // namespace

bool is_project_file(const fs::path& path) { return fs::is_regular_file(project() / path); }

std::string text_of(const fs::path& path) {
  std::ostringstream text;
  text << std::ifstream(project() / path).rdbuf();
  return text.str();
}

std::vector<fs::path> files_below(const fs::path& folder) {
  std::vector<fs::path> files;
  if (!fs::is_directory(project() / folder)) return files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(project() / folder)) {
    if (entry.is_regular_file()) files.push_back(fs::relative(entry.path(), project()));
  }
  return files;
}

}  // namespace rooflab::layers
