#include "rooflab/base/error.hpp"

#include <utility>

#include "base/format.hpp"

namespace rooflab {

std::string Location::to_string() const {
  if (file.empty()) return {};
  if (byte_offset) return format("{}: byte {}", file, *byte_offset);
  if (line && column) return format("{}:{}:{}", file, *line, *column);
  if (line) return format("{}:{}", file, *line);
  return file;
}

Error::Error(ErrorKind kind, const std::string& message, std::string hint, Location location)
    : std::runtime_error(message),
      kind_(kind),
      hint_(std::move(hint)),
      location_(std::move(location)) {}

Error Error::at(Location location) const {
  if (location_.file.empty()) return Error(kind_, what(), hint_, std::move(location));
  return *this;
}

std::string Error::full_message() const {
  const std::string place = location_.to_string();
  return place.empty() ? std::string(what()) : format("{}: {}", place, what());
}

}  // namespace rooflab
