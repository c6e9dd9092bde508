#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/text.hpp"

namespace rooflab::engine {

using Numbers = std::vector<double>;

/// The numbers of the lines that begin with `prefix`, which is taken off.
inline Numbers numbers_in(const std::filesystem::path& path, const std::string& prefix = {}) {
  std::ifstream file(path);
  Numbers numbers;
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(prefix)) continue;
    if (const auto number = parse_number(line.substr(prefix.size()))) numbers.push_back(*number);
  }
  return numbers;
}

/// What a worker wrote for `outputs`: the losses of its steps, and its other numbers in their order
/// (outputs of the first step, or parameters after the last).
struct WorkerNumbers {
  Numbers losses;
  Numbers others;
};

inline WorkerNumbers worker_numbers_in(const std::filesystem::path& path) {
  std::ifstream file(path);
  WorkerNumbers numbers;
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view loss = "loss ";
    const bool is_loss = line.starts_with(loss);
    const auto number = parse_number(is_loss ? line.substr(loss.size()) : line);
    if (number) (is_loss ? numbers.losses : numbers.others).push_back(*number);
  }
  return numbers;
}

}  // namespace rooflab::engine
