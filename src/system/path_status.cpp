#include "path_status.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/format.hpp"

namespace rooflab {
namespace fs = std::filesystem;

Error unusable(const fs::path& path, std::error_code reason) {
  const bool denied = reason == std::errc::permission_denied;
  return {ErrorKind::input,
          path.empty() ? reason.message()
                       : format("cannot use '{}': {}", path.string(), reason.message()),
          denied ? "you need permission to enter every folder of this path" : ""};
}

fs::file_status status_of(const fs::path& path) {
  std::error_code reason;
  const fs::file_status status = fs::status(path, reason);
  if (status.type() == fs::file_type::none) throw unusable(path, reason);
  return status;
}

bool is_there(const fs::path& path) { return fs::exists(status_of(path)); }
bool is_folder(const fs::path& path) { return fs::is_directory(status_of(path)); }
bool is_file(const fs::path& path) { return fs::is_regular_file(status_of(path)); }

std::vector<fs::path> files_in(const fs::path& folder, std::string_view extension) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path& path = entry.path();
    if (path.extension() == extension && is_file(path)) files.push_back(path);
  }
  std::ranges::sort(files);
  return files;
}

void make_folders(const fs::path& folder) {
  constexpr mode_t all_rights = 0777;  // less what the user's umask takes
  const auto is_made = [&folder] { return ::mkdir(folder.c_str(), all_rights) == 0; };
  if (is_made()) return;
  int reason = errno;
  if (reason == ENOENT && folder.has_parent_path()) {
    make_folders(folder.parent_path());
    if (is_made()) return;
    reason = errno;
  }
  if (is_folder(folder)) return;
  throw Error(ErrorKind::system,
              format("cannot make the folder '{}': {}", folder.string(),
                     reason == EEXIST ? "a file has that name" : std::strerror(reason)));
}

}  // namespace rooflab
