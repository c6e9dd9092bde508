// How fast a trace of the PyTorch profiler is imported, and that its size does not show in memory:
// the sample of tests/data/import/kineto, its events repeated with times and numbers shifted until
// the file has 1 GB, and the same at 100 MB compressed.
//
// Every import runs in a child of its own, so that its peak memory is its own: the targets are
// 300 MB/s on one core and 300 MB. What is timed is the import alone, `cpu_MB/s` by the child's
// processor time (what a core without neighbours would give), the rest by the clock. The large file
// is made once in the temporary folder ($TMPDIR) and removed. Run it anywhere in the source tree,
// or from a build folder in it.

#include <benchmark/benchmark.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>

#include "rooflab/import/readers.hpp"

namespace {

namespace fs = std::filesystem;

/// The sample in the source tree that this folder or the program lies in; empty when neither does.
fs::path sample() {
  const fs::path name = "tests/data/import/kineto/resnet18-b16-train.pt.trace.json.gz";
  for (const fs::path& start : {fs::current_path(), fs::read_symlink("/proc/self/exe")}) {
    for (fs::path folder = start; folder != folder.root_path(); folder = folder.parent_path()) {
      if (fs::exists(folder / name)) return folder / name;
    }
  }
  return {};
}

std::string unpacked(const fs::path& path) {
  std::string text;
  const gzFile file = ::gzopen(path.c_str(), "rb");
  std::array<char, 65536> block{};
  for (int count = 1; file != nullptr && count > 0;) {
    count = ::gzread(file, block.data(), static_cast<unsigned>(block.size()));
    if (count > 0) text.append(block.data(), static_cast<std::size_t>(count));
  }
  if (file != nullptr) ::gzclose(file);
  return text;
}

/// `events` with what is added to every number behind a key.
std::string shifted(const std::string& events, std::int64_t repetition) {
  struct Key {
    std::string_view text;
    std::int64_t step;
  };
  // The sample lasts 21.4 ms and has correlations from 10069 to 25161.
  constexpr std::array<Key, 4> keys = {Key{"\"ts\": ", 22'000}, Key{"\"correlation\": ", 20'000},
                                       Key{"\"External id\": ", 20'000}, Key{"\"id\": ", 20'000}};
  std::string text;
  text.reserve(events.size() + events.size() / 16);
  for (std::size_t i = 0; i < events.size();) {
    const auto* const key = std::ranges::find_if(keys, [&](const Key& each) {
      return events[i] == '"' && events.compare(i, each.text.size(), each.text) == 0;
    });
    if (key == keys.end()) {
      text += events[i++];
      continue;
    }
    std::size_t used = 0;
    i += key->text.size();
    const std::int64_t value = std::stoll(events.substr(i, 20), &used);
    text += key->text;
    text += std::to_string(value + repetition * key->step);
    i += used;
  }
  return text;
}

/// A trace of at least `size` bytes, handed to `write` piece by piece.
void make_trace(std::size_t size, const std::function<void(const std::string& piece)>& write) {
  const std::string text = unpacked(sample());
  constexpr std::string_view list = "\"traceEvents\": [";
  const std::size_t begin = text.find(list);
  const std::size_t end = text.rfind("\n  ],");
  if (begin == std::string::npos || end == std::string::npos) {
    throw std::runtime_error("the sample is not where it should be");
  }
  const std::size_t first = begin + list.size();
  const std::string events = text.substr(first, end - first);
  write(text.substr(0, first));
  std::size_t written = 0;
  for (std::int64_t repetition = 0; written < size; ++repetition) {
    const std::string piece = (repetition > 0 ? "," : "") + shifted(events, repetition);
    write(piece);
    written += piece.size();
  }
  write(text.substr(end));
}

/// A trace in the temporary folder, made when first asked for and removed at the end.
class LargeTrace {
 public:
  LargeTrace(std::size_t size, bool compressed)
      : path_(fs::temp_directory_path() /
              ("rooflab-" + std::to_string(::getpid()) + "-" + std::to_string(size) +
               (compressed ? ".pt.trace.json.gz" : ".pt.trace.json"))) {
    const auto count = [&](const std::string& piece) { text_bytes_ += piece.size(); };
    if (compressed) {
      const gzFile file = ::gzopen(path_.c_str(), "wb6");
      make_trace(size, [&](const std::string& piece) {
        count(piece);
        ::gzwrite(file, piece.data(), static_cast<unsigned>(piece.size()));
      });
      ::gzclose(file);
    } else {
      std::ofstream file(path_, std::ios::binary);
      make_trace(size, [&](const std::string& piece) {
        count(piece);
        file << piece;
      });
    }
  }
  LargeTrace(const LargeTrace&) = delete;
  LargeTrace& operator=(const LargeTrace&) = delete;
  ~LargeTrace() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }

  [[nodiscard]] const fs::path& path() const { return path_; }
  [[nodiscard]] std::uint64_t text_bytes() const { return text_bytes_; }

 private:
  fs::path path_;
  std::uint64_t text_bytes_ = 0;
};

struct ImportUse {
  double time_s = 0.0;
  std::uint64_t kernels = 0;
};

/// Imports in a child; what it says of itself comes through a pipe, what it took from wait4().
void import(benchmark::State& state, const LargeTrace& trace) {
  ImportUse import_use;
  double cpu_s = 0.0;
  double peak_mb = 0.0;
  for (auto _ : state) {
    std::array<int, 2> pipe{};
    if (::pipe(pipe.data()) != 0) throw std::runtime_error("no pipe");
    const pid_t child = ::fork();
    if (child == 0) {
      const auto start = std::chrono::steady_clock::now();
      const rooflab::record::Record record = rooflab::import::read_kineto_trace(trace.path());
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
  const double megabytes = static_cast<double>(trace.text_bytes()) / 1e6;
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(trace.text_bytes()));
  state.counters["cpu_MB/s"] = megabytes * static_cast<double>(state.iterations()) / cpu_s;
  state.counters["text_MB"] = megabytes;
  state.counters["peak_MB"] = peak_mb;
  state.counters["kernels"] = static_cast<double>(import_use.kernels);
}

/// Skips where the sample is out of reach.
bool has_sample(benchmark::State& state) {
  if (!sample().empty()) return true;
  state.SkipWithError("run it in the source tree or from a build folder in it");
  return false;
}

void import_gigabyte(benchmark::State& state) {
  if (!has_sample(state)) return;
  static const LargeTrace trace(1'000'000'000, false);
  import(state, trace);
}
BENCHMARK(import_gigabyte)->Unit(benchmark::kMillisecond)->UseManualTime();

void import_compressed(benchmark::State& state) {
  if (!has_sample(state)) return;
  static const LargeTrace trace(100'000'000, true);
  import(state, trace);
}
BENCHMARK(import_compressed)->Unit(benchmark::kMillisecond)->UseManualTime();

}  // namespace
