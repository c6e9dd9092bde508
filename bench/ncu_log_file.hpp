#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "source_tree.hpp"

namespace rooflab::bench {

// A large log of Nsight Compute: the rows of tests/data/import/ncu/resnet18-b1-train-tf32.csv,
// again and again with new IDs. That sample lacks the columns that no test needs; as many are put
// back as the whole one had (321, 2.2 kB a row), with values of the same length.

inline constexpr std::size_t columns_of_a_whole_log = 321;

inline void write_ncu_log(const std::filesystem::path& path, std::int64_t bytes) {
  std::ifstream from(in_source_tree("tests/data/import/ncu/resnet18-b1-train-tf32.csv"));
  std::ofstream to(path, std::ios::binary);
  std::string line;
  while (std::getline(from, line) && !line.starts_with("\"ID\"")) to << line << '\n';
  // No field of the header holds a comma.
  const auto columns = static_cast<std::size_t>(std::ranges::count(line, ',')) + 1;
  std::string names;
  std::string values;
  for (std::size_t i = columns; i < columns_of_a_whole_log; ++i) {
    names += ",\"device__attribute_" + std::to_string(i) + "\"";
    values += i % 4 == 0 ? ",\"65,536\"" : i % 4 == 1 ? ",\"1,024\"" : ",\"0\"";
  }
  to << line << names << '\n';
  std::getline(from, line);  // the units
  to << line;
  for (std::size_t i = columns; i < columns_of_a_whole_log; ++i) to << ",\"\"";
  to << '\n';
  std::vector<std::string> rows;  // without the ID
  while (std::getline(from, line)) rows.push_back(line.substr(line.find(',')) + values + '\n');
  if (rows.empty()) throw std::runtime_error("the sample of a log is not where it should be");
  for (std::size_t id = 0; to && to.tellp() < bytes;) {
    for (const std::string& row : rows) to << '"' << id++ << '"' << row;
  }
  to.close();
  if (!to) throw std::runtime_error("cannot write " + path.string());
}

/// The launches of a log that write_ncu_log() wrote: the ID of its last row and one.
inline std::size_t launches_of(const std::filesystem::path& path) {
  constexpr std::streamoff tail = 65536;  // more than a row
  std::ifstream file(path, std::ios::binary);
  file.seekg(-std::min<std::streamoff>(
                 tail, static_cast<std::streamoff>(std::filesystem::file_size(path))),
             std::ios::end);
  std::size_t launches = 0;
  std::string line;
  std::getline(file, line);  // cut at its beginning
  while (std::getline(file, line)) launches = std::stoull(line.substr(1)) + 1;
  return launches;
}

}  // namespace rooflab::bench
