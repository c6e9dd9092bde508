// How fast a trace of the PyTorch profiler is imported, and that its size does not show in memory:
// the sample of tests/data/import/kineto, its events repeated with times and numbers shifted until
// the file has 1 GB, and the same at 100 MB compressed.
//
// Every import runs in a separate child process, so that its peak memory can be read: the targets
// are 300 MB/s on one core and 300 MB. What is timed is the import alone, `cpu_MB/s` by the child's
// processor time (what a core without neighbours would give), the rest by the clock. The large
// files are made once in build/bench-data and kept. Run it anywhere in the source tree, or from a
// build folder in it.

#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <stdexcept>

#include "input_files.hpp"
#include "rooflab/import/readers.hpp"

namespace {

namespace fs = std::filesystem;
using rooflab::bench::input_file;

struct ImportUse {
  double time_s = 0.0;
  std::uint64_t kernels = 0;
};

/// Imports in a child; what it says of itself comes through a pipe, what it took from wait4().
void import(benchmark::State& state, const fs::path& trace, std::uint64_t text_bytes) {
  ImportUse import_use;
  double cpu_s = 0.0;
  double peak_mb = 0.0;
  for (auto _ : state) {
    std::array<int, 2> pipe{};
    if (::pipe(pipe.data()) != 0) throw std::runtime_error("no pipe");
    const pid_t child = ::fork();
    if (child == 0) {
      const auto start = std::chrono::steady_clock::now();
      const rooflab::record::Record record = rooflab::import::read_kineto_trace(trace);
      const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
      const ImportUse use{elapsed.count(), record.kernels->size()};
      const bool told = ::write(pipe[1], &use, sizeof use) == sizeof use;
      ::_exit(told && record.lost.empty() ? 0 : 1);
    }
    ::close(pipe[1]);
    const bool heard = ::read(pipe[0], &import_use, sizeof import_use) == sizeof import_use;
    ::close(pipe[0]);
    int status = 0;
    rusage usage{};
    ::wait4(child, &status, 0, &usage);
    if (!heard || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      state.SkipWithError("the import failed");
      return;
    }
    state.SetIterationTime(import_use.time_s);
    const auto seconds = [](const timeval& time) {
      return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
    };
    cpu_s += seconds(usage.ru_utime) + seconds(usage.ru_stime);
    peak_mb = std::max(peak_mb, static_cast<double>(usage.ru_maxrss) * 1024.0 / 1e6);
  }
  const double megabytes = static_cast<double>(text_bytes) / 1e6;
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(text_bytes));
  state.counters["cpu_MB/s"] = megabytes * static_cast<double>(state.iterations()) / cpu_s;
  state.counters["text_MB"] = megabytes;
  state.counters["peak_MB"] = peak_mb;
  state.counters["kernels"] = static_cast<double>(import_use.kernels);
}

/// Skips where the sample is out of reach.
bool has_sample(benchmark::State& state) {
  if (!rooflab::bench::source_tree().empty()) return true;
  state.SkipWithError(rooflab::bench::outside_source_tree);
  return false;
}

void import_gigabyte(benchmark::State& state) {
  if (!has_sample(state)) return;
  const fs::path trace = input_file("trace");
  import(state, trace, fs::file_size(trace));
}
BENCHMARK(import_gigabyte)->Unit(benchmark::kMillisecond)->UseManualTime();

void import_compressed(benchmark::State& state) {
  if (!has_sample(state)) return;
  const fs::path trace = input_file("compressed_trace");
  import(state, trace, rooflab::bench::unpacked_bytes(trace));
}
BENCHMARK(import_compressed)->Unit(benchmark::kMillisecond)->UseManualTime();

}  // namespace
