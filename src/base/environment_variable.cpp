#include "environment_variable.hpp"

#include <cstdlib>

namespace rooflab {

std::optional<std::string> environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::optional<std::filesystem::path> absolute_folder(const char* variable) {
  std::filesystem::path folder = environment_variable(variable).value_or("");
  return folder.is_absolute() ? std::optional(std::move(folder)) : std::nullopt;
}

}  // namespace rooflab
