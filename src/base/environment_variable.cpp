#include "environment_variable.hpp"

#include <cstdlib>

namespace rooflab {

std::optional<std::string> environment_variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::nullopt : std::optional<std::string>(value);
}

}  // namespace rooflab
