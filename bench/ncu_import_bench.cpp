// How fast a log of Nsight Compute is read, and in how much memory: the targets are 300 MB/s on one
// core and 300 MB for a log of 1 GB.
//
// The log is made once in the temporary folder: the rows of tests/data/import/ncu/
// resnet18-b1-train-tf32.csv, again and again with new IDs. That sample lacks the columns that no
// test needs; as many are put back as the whole one had (321, 2.2 kB a row), with values of the
// same length. ROOFLAB_BENCH_LOG_MB sets another size. Each reading is a process of its own, so
// that its peak memory can be read.

#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "rooflab/import/readers.hpp"

namespace {

namespace fs = std::filesystem;

constexpr std::size_t columns_of_a_whole_log = 321;

/// The sample in the source tree that this folder or the program lies in; empty when neither does.
fs::path sample() {
  const fs::path inside = "tests/data/import/ncu/resnet18-b1-train-tf32.csv";
  for (const fs::path& start : {fs::current_path(), fs::read_symlink("/proc/self/exe")}) {
    for (fs::path folder = start; folder != folder.root_path(); folder = folder.parent_path()) {
      if (fs::exists(folder / inside)) return folder / inside;
    }
  }
  return {};
}

std::int64_t log_bytes() {
  const char* chosen = std::getenv("ROOFLAB_BENCH_LOG_MB");
  return (chosen != nullptr ? std::atoll(chosen) : 1000) * 1'000'000;
}

/// The large log, made when first asked for and removed at the end.
class LargeLog {
 public:
  LargeLog()
      : path_(fs::temp_directory_path() / ("rooflab-ncu-" + std::to_string(::getpid()) + ".csv")) {
    std::ifstream from(sample());
    std::ofstream to(path_, std::ios::binary);
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
    while (to.tellp() < log_bytes()) {
      for (const std::string& row : rows) to << '"' << launches_++ << '"' << row;
    }
  }
  LargeLog(const LargeLog&) = delete;
  LargeLog& operator=(const LargeLog&) = delete;
  ~LargeLog() {
    std::error_code ignored;
    if (owner_ == ::getpid()) fs::remove(path_, ignored);
  }

  static const LargeLog& get() {
    static const LargeLog log;
    return log;
  }
  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] std::size_t launches() const { return launches_; }

 private:
  fs::path path_;
  pid_t owner_ = ::getpid();
  std::size_t launches_ = 0;
};

void import_raw_log(benchmark::State& state) {
  if (sample().empty()) {
    state.SkipWithError("run it in the source tree or from a build folder in it");
    return;
  }
  const LargeLog& log = LargeLog::get();
  double peak_mb = 0.0;
  for (auto _ : state) {
    const auto start = std::chrono::steady_clock::now();
    const pid_t child = ::fork();
    if (child == 0) {
      const rooflab::record::Record record = rooflab::import::read_ncu_log(log.path());
      ::_exit(record.kernels && record.kernels->size() == log.launches() ? 0 : 1);
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
                          static_cast<std::int64_t>(fs::file_size(log.path())));
  state.counters["launches"] = static_cast<double>(log.launches());
  state.counters["peak_MB"] = peak_mb;
}
BENCHMARK(import_raw_log)->Unit(benchmark::kMillisecond)->UseManualTime()->MinTime(3.0);

}  // namespace
