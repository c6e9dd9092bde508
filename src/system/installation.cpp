#include "installation.hpp"

#include <algorithm>

#include "rooflab/base/text.hpp"

namespace rooflab {

std::vector<std::filesystem::path> installation_prefixes() {
  std::vector<std::filesystem::path> prefixes;
  std::error_code status;
  const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", status);
  if (!status) prefixes.push_back(program.parent_path().parent_path());
  for (const std::filesystem::path built_for : split(ROOFLAB_INSTALL_PREFIXES, ':')) {
    if (std::ranges::find(prefixes, built_for) == prefixes.end()) prefixes.push_back(built_for);
  }
  return prefixes;
}

}  // namespace rooflab
