// How long an ONNX file takes, and that its weights do not matter: the samples of tests/data/onnx,
// and VGG-16 with 550 MB of weights inside, which is made once in the temporary folder.
//
// Whole processes are timed from before the start until after the end, with their own peak memory;
// the targets are 30 ms and 30 MB. The median is what counts: `--benchmark_repetitions=20
// --benchmark_report_aggregates_only=true`. Run it anywhere in the source tree, or from a build
// folder in it. Set ROOFLAB to time another program than this build's.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "rooflab/onnx/onnx_reader.hpp"
#include "vgg16_onnx_file.hpp"
#include "whole_process.hpp"

namespace {

namespace fs = std::filesystem;

/// tests/data/onnx of the source tree that this folder or the program lies in; empty when neither
/// does.
fs::path samples() {
  for (const fs::path& start : {fs::current_path(), fs::read_symlink("/proc/self/exe")}) {
    for (fs::path folder = start; folder != folder.root_path(); folder = folder.parent_path()) {
      if (fs::is_directory(folder / "tests/data/onnx")) return folder / "tests/data/onnx";
    }
  }
  return {};
}

/// The large file, made when first asked for and removed at the end.
class LargeFile {
 public:
  LargeFile()
      : path_(fs::temp_directory_path() /
              ("rooflab-vgg16-" + std::to_string(::getpid()) + ".onnx")),
        bytes_(rooflab::bench::write_with_weights(samples() / "tv-vgg16-script.onnx", path_)) {}
  LargeFile(const LargeFile&) = delete;
  LargeFile& operator=(const LargeFile&) = delete;
  ~LargeFile() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }

  static const LargeFile& get() {
    static const LargeFile file;
    return file;
  }
  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] double megabytes() const { return static_cast<double>(bytes_) / 1e6; }

 private:
  fs::path path_;
  std::uint64_t bytes_;
};

void import(benchmark::State& state, const fs::path& path) {
  for (auto _ : state) benchmark::DoNotOptimize(rooflab::onnx::read_onnx(path));
  state.counters["file_MB"] = static_cast<double>(fs::file_size(path)) / 1e6;
}

void import_large(benchmark::State& state) { import(state, LargeFile::get().path()); }

void process(benchmark::State& state, const std::vector<std::string>& words) {
  double peak_mb = 0.0;
  for (auto _ : state) {
    const rooflab::bench::ProcessUse use = rooflab::bench::run(words);
    if (!use.ran) {
      state.SkipWithError("rooflab did not run: build the target rooflab_program");
      return;
    }
    state.SetIterationTime(use.time_s);
    peak_mb = std::max(peak_mb, static_cast<double>(use.peak_rss_kib) * 1024.0 / 1e6);
  }
  state.counters["peak_MB"] = peak_mb;
}

void process_large(benchmark::State& state) {
  process(state, {rooflab::bench::program(), "summary", LargeFile::get().path().string()});
  state.counters["file_MB"] = LargeFile::get().megabytes();
}

const bool registered = [] {
  std::vector<fs::path> files;
  std::error_code status;  // without the samples only the built-in networks are timed
  for (const fs::directory_entry& entry : fs::directory_iterator(samples(), status)) {
    if (entry.path().extension() == ".onnx") files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const fs::path& file : files) {
    benchmark::RegisterBenchmark(("import/" + file.stem().string()).c_str(), import, file)
        ->Unit(benchmark::kMillisecond);
  }
  if (!files.empty()) {
    benchmark::RegisterBenchmark("import/vgg16_with_weights", import_large)
        ->Unit(benchmark::kMillisecond);
    benchmark::RegisterBenchmark("process/summary_vgg16_with_weights", process_large)
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime();
  }
  for (const std::string model : {"resnet18", "resnet152", "densenet201"}) {
    benchmark::RegisterBenchmark(
        ("process/summary_" + model).c_str(), process,
        std::vector<std::string>{rooflab::bench::program(), "summary", model})
        ->Unit(benchmark::kMillisecond)
        ->UseManualTime();
  }
  return true;
}();

}  // namespace
