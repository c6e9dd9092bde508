#include "temporary_folder.hpp"

#include <unistd.h>

#include <cstdlib>
#include <string>

#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab {

TemporaryFolder::TemporaryFolder(std::string_view purpose) {
  const std::filesystem::path place = std::filesystem::temp_directory_path();
  std::string name = (place / format("rooflab-{}-XXXXXX", purpose)).string();
  if (::mkdtemp(name.data()) == nullptr) {
    throw Error(ErrorKind::capability, format("cannot make a folder in {}", place.string()),
                "TMPDIR names another place");
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!kept_) std::filesystem::remove_all(path_, ignored);
}

}  // namespace rooflab
