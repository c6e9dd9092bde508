#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "rooflab/base/text.hpp"

namespace rooflab::engine {

/// The numbers of the lines that begin with `prefix`, which is taken off.
inline std::vector<double> numbers_in(const std::filesystem::path& path,
                                      const std::string& prefix = {}) {
  std::ifstream file(path);
  std::vector<double> numbers;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(prefix)) continue;
    if (const auto number = parse_number(line.substr(prefix.size()))) numbers.push_back(*number);
  }
  return numbers;
}

}  // namespace rooflab::engine
