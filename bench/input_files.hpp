#pragma once

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "kineto_trace_file.hpp"
#include "ncu_log_file.hpp"
#include "recording_file.hpp"
#include "source_tree.hpp"
#include "vgg16_onnx_file.hpp"

namespace rooflab::bench {

/// A large file that is made once in build/bench-data: its name there, and how it is written.
struct InputFile {
  std::string_view name;
  std::string file;
  void (*write)(const std::filesystem::path& path);
};

/// Megabytes of the log of Nsight Compute; ROOFLAB_BENCH_LOG_MB sets them.
inline std::int64_t log_megabytes() {
  const char* chosen = std::getenv("ROOFLAB_BENCH_LOG_MB");
  return chosen != nullptr ? std::atoll(chosen) : 1000;
}

/// All of them. bench/cases.json puts the name in braces: {trace}.
inline std::array<InputFile, 5> input_files() {
  using Path = std::filesystem::path;
  return {{
      {"vgg16_onnx", "vgg16-553mb.onnx",
       [](const Path& path) {
         write_with_weights(in_source_tree("tests/data/onnx/tv-vgg16-script.onnx"), path);
       }},
      {"trace", "1000mb.pt.trace.json", [](const Path& path) { write_trace(path, 1'000'000'000); }},
      {"compressed_trace", "100mb.pt.trace.json.gz",
       [](const Path& path) { write_compressed_trace(path, 100'000'000); }},
      {"ncu_log", "ncu-" + std::to_string(log_megabytes()) + "mb.csv",
       [](const Path& path) { write_ncu_log(path, log_megabytes() * 1'000'000); }},
      {"recording", "30000-ops.rec.jsonl", [](const Path& path) { write_recording(path, 30'000); }},
  }};
}

/// The path of the file with that name, which is made if it is not there yet.
inline std::filesystem::path input_file(std::string_view name) {
  for (const InputFile& input : input_files()) {
    if (input.name == name) return made_file(input.file, input.write);
  }
  throw std::runtime_error("no input file is called " + std::string(name));
}

}  // namespace rooflab::bench
