// How long reading an ONNX file takes, and that its weights do not matter: the samples of
// tests/data/onnx, and VGG-16 with 553 MB of weights inside, which is made once in build/bench-data
// and kept. process_bench times whole processes.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "input_files.hpp"
#include "rooflab/onnx/onnx_reader.hpp"

namespace {

namespace fs = std::filesystem;

void import(benchmark::State& state, const fs::path& path) {
  for (auto _ : state) benchmark::DoNotOptimize(rooflab::onnx::read_onnx(path));
  state.counters["file_MB"] = static_cast<double>(fs::file_size(path)) / 1e6;
}

void import_large(benchmark::State& state) {
  import(state, rooflab::bench::input_file("vgg16_onnx"));
}

const bool registered = [] {
  const fs::path tree = rooflab::bench::source_tree();
  if (tree.empty()) return false;
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(tree / "tests/data/onnx")) {
    if (entry.path().extension() == ".onnx") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    benchmark::RegisterBenchmark(("import/" + file.stem().string()).c_str(), import, file)
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::RegisterBenchmark("import/vgg16_with_weights", import_large)
      ->Unit(benchmark::kMillisecond);
  return true;
}();

}  // namespace
