// How fast a log of Nsight Compute is read, and in how much memory: the targets are 300 MB/s on one
// core and 300 MB for a log of 1 GB.
//
// The log is made once in build/bench-data and kept (ncu_log_file.hpp). ROOFLAB_BENCH_LOG_MB sets
// another size. Each reading is a separate process, so that its peak memory can be read.

#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>

#include "input_files.hpp"
#include "rooflab/import/readers.hpp"

namespace {

namespace fs = std::filesystem;

void import_raw_log(benchmark::State& state) {
  if (rooflab::bench::source_tree().empty()) {
    state.SkipWithError(rooflab::bench::outside_source_tree);
    return;
  }
  const fs::path log = rooflab::bench::input_file("ncu_log");
  const std::size_t launches = rooflab::bench::launches_of(log);
  double peak_mb = 0.0;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    const pid_t child = ::fork();
    if (child == 0) {
      const rooflab::record::Record record = rooflab::import::read_ncu_log(log);
      ::_exit(record.kernels && record.kernels->size() == launches ? 0 : 1);
    }
    int status = 0;
    rusage usage{};
    ::wait4(child, &status, 0, &usage);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
      state.SkipWithError("launches were lost");
      return;
    }
    state.SetIterationTime(elapsed.count());
    peak_mb = std::max(peak_mb, static_cast<double>(usage.ru_maxrss) * 1024.0 / 1e6);
  }
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations()) *
                          static_cast<std::int64_t>(fs::file_size(log)));
  state.counters["launches"] = static_cast<double>(launches);
  state.counters["peak_MB"] = peak_mb;
}
BENCHMARK(import_raw_log)->Unit(benchmark::kMillisecond)->UseManualTime()->MinTime(3.0);

}  // namespace
