// Whole processes, from before the start until after the end, with their peak memory: the cases of
// bench/cases.json, and with ROOFLAB_BENCH_REFERENCES set what they are compared with
// (`./run bench --compare`). Each repetition is one process; the file says how many there are.
//
// What must hold on one core at 2.6 GHz: `summary` and `onnx` in 30 ms and 30 MB, `predict` in 40
// ms, `trace` and `log` in 300 MB. Run it anywhere in the source tree, or from a build folder in
// it. Set ROOFLAB to time another program than this build's, PYTHON for another Python than
// Debian's.

#include <benchmark/benchmark.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "input_files.hpp"
#include "rooflab/base/json.hpp"
#include "source_tree.hpp"
#include "whole_process.hpp"

namespace {

namespace fs = std::filesystem;
using namespace rooflab;

std::string python() {
  if (const char* chosen = std::getenv("PYTHON")) return chosen;
  return fs::exists("/usr/bin/python3") ? "/usr/bin/python3" : "python3";
}

/// What a name in braces stands for in a command.
std::string meaning(const std::string& name) {
  if (name == "rooflab") return bench::program();
  if (name == "python") return python();
  if (name == "source") return bench::source_tree().string();
  if (name == "data") return bench::data_folder().string();
  if (name == "yardstick") {
    return (fs::read_symlink("/proc/self/exe").parent_path() / "yardstick").string();
  }
  return bench::input_file(name).string();
}

std::vector<std::string> command_of(const Json& words) {
  std::vector<std::string> command;
  for (std::string word : words.get<std::vector<std::string>>()) {
    if (word.starts_with('{')) {
      const std::size_t end = word.find('}');
      word = meaning(word.substr(1, end - 1)) + word.substr(end + 1);
    }
    command.push_back(std::move(word));
  }
  return command;
}

std::string text_of(const std::vector<std::string>& command) {
  std::string text;
  for (const std::string& word : command) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// Runs a case, a reference or a floor once for each iteration.
void process(benchmark::State& state, const Json& described) {
  std::vector<std::string> command;
  try {
    static std::set<std::string> prepared;
    for (const Json& words : described.value("prepare", Json::array())) {
      if (!prepared.insert(words.dump()).second) continue;
      const std::vector<std::string> first = command_of(words);
      if (!bench::run(first).ran) throw std::runtime_error("did not run: " + text_of(first));
    }
    command = command_of(described["command"]);
  } catch (const std::exception& error) {
    return state.SkipWithError(error.what());
  }
  const std::string failure = described.contains("package")
                                  ? "did not run; it needs " + described["package"].text()
                                  : "did not run: " + text_of(command);
  for (auto _ : state) {
    const bench::ProcessUse use = bench::run(command);
    if (!use.ran) return state.SkipWithError(failure.c_str());
    state.SetIterationTime(use.time_s);
    state.counters["cpu_s"] = use.cpu_s;
    state.counters["peak_MB"] = static_cast<double>(use.peak_rss_kib) * 1024.0 / 1e6;
  }
}

void add(const std::string& kind, const Json& all) {
  for (const auto& [name, described] : all.items()) {
    benchmark::RegisterBenchmark((kind + "/" + name).c_str(), process, described)
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime()
        ->Iterations(1)
        ->Repetitions(described["repetitions"].get<int>())
        ->ReportAggregatesOnly(false)
        ->DisplayAggregatesOnly(true);
  }
}

/// The model of this machine's CPU.
std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown CPU";
}

const bool registered = [] {
  const fs::path tree = bench::source_tree();
  if (tree.empty()) return false;
  std::ostringstream text;
  text << std::ifstream(tree / "bench/cases.json").rdbuf();
  const Json file = Json::parse(text.str());
  add("case", file["cases"]);
  if (std::getenv("ROOFLAB_BENCH_REFERENCES") != nullptr) {
    add("reference", file["references"]);
    add("floor", file["floors"]);
  }
  benchmark::AddCustomContext("cpu", cpu_model());
  return true;
}();

}  // namespace
