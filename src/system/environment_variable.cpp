#include "environment_variable.hpp"

#include <cstdlib>
#include <utility>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab {

std::optional<std::string> environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

std::optional<std::filesystem::path> absolute_path(std::optional<std::string> value) {
  std::filesystem::path path = std::move(value).value_or("");
  return path.is_absolute() ? std::optional(std::move(path)) : std::nullopt;
}

std::optional<std::filesystem::path> chosen_path(const char* variable) {
  const std::optional<std::string> value = environment_variable(variable);
  if (!value || value->empty()) return std::nullopt;
  if (auto path = absolute_path(value)) return path;
  throw Error(ErrorKind::usage,
              format("{} is '{}', which is not an absolute path", variable, *value),
              format("{}=$PWD/{}", variable, *value));
}

}  // namespace rooflab
