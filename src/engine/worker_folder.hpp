#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::engine {

/// A folder of its own for the files of one run of a worker; it vanishes with this.
class WorkerFolder {
 public:
  WorkerFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "rooflab-case-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw Error(
          ErrorKind::capability,
          format("cannot make a folder in {}", std::filesystem::temp_directory_path().string()),
          "TMPDIR names another place");
    }
    path_ = name;
  }
  ~WorkerFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  WorkerFolder(const WorkerFolder&) = delete;
  WorkerFolder& operator=(const WorkerFolder&) = delete;

  [[nodiscard]] std::filesystem::path file(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace rooflab::engine
