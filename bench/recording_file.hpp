#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "kineto_trace_file.hpp"
#include "rooflab/base/json.hpp"
#include "source_tree.hpp"

namespace rooflab::bench {

// A long recording: the step of tests/data/recordings/gpu/llama.rec.jsonl.gz again and again, as a
// program that runs as many networks one after another. Modules, layouts, storages and tensors get
// new numbers in each repetition, as docs/formats/recording.md counts them.

/// How many lines of each kind one repetition has.
using LineCounts = std::map<std::string, std::int64_t>;

/// A number, or a list of them at any depth, moved on; anything else there stays.
inline Json moved(const Json& value, std::int64_t step) {
  if (value.kind() == Json::Kind::array) {
    Json list = Json::array();
    for (const Json& each : value) list.push_back(moved(each, step));
    return list;
  }
  const bool number = value.kind() == Json::Kind::integer || value.kind() == Json::Kind::natural;
  return number ? Json(value.get<std::int64_t>() + step) : value;
}

/// A line with the numbers of a repetition. `counts` are those of one repetition.
inline Json renumbered(const Json& line, std::int64_t repetition, const LineCounts& counts) {
  // Which kind of line a key's numbers count.
  static const std::map<std::string, std::string> kinds = {
      {"module", "module"},    {"root", "module"},   {"storage", "storage"}, {"free", "storage"},
      {"storages", "storage"}, {"tensor", "tensor"}, {"layout", "layout"},   {"in", "tensor"},
      {"out", "tensor"},       {"output", "tensor"}};
  Json result = Json::object();
  for (const auto& [key, value] : line.items()) {
    const auto kind = kinds.find(key);
    const bool counted = kind != kinds.end();
    const auto count = counted ? counts.find(kind->second) : counts.end();
    result[key] = count == counts.end() ? value : moved(value, repetition * count->second);
  }
  return result;
}

/// Writes a recording of at least `ops` operations.
inline void write_recording(const std::filesystem::path& path, std::int64_t ops) {
  std::istringstream sample(
      unpacked(in_source_tree("tests/data/recordings/gpu/llama.rec.jsonl.gz")));
  std::string head;
  std::getline(sample, head);
  std::vector<Json> body;
  LineCounts counts;
  for (std::string text; std::getline(sample, text);) {
    const Json line = Json::parse(text);
    const std::string kind = line.keys().front();
    if (kind == "end") break;
    ++counts[kind];
    body.push_back(line);
  }
  if (counts["op"] == 0) throw std::runtime_error("the sample of a recording holds no op");
  const std::int64_t repetitions = (ops + counts["op"] - 1) / counts["op"];
  std::ofstream file(path, std::ios::binary);
  file << head << '\n';
  for (std::int64_t i = 0; i < repetitions; ++i) {
    for (const Json& line : body) file << renumbered(line, i, counts).dump() << '\n';
  }
  const Json end = {{"end", true},
                    {"ops", repetitions * counts["op"]},
                    {"storages", repetitions * counts["storage"]},
                    {"frees", repetitions * counts["free"]}};
  file << end.dump() << '\n';
  file.close();
  if (!file) throw std::runtime_error("cannot write " + path.string());
}

}  // namespace rooflab::bench
