// What `rooflab profile` costs per kernel on the host, apart from CUPTI: a line of the profile, the
// fingerprint of a launch, following a step that is known; and how fast a profile is read.
//
// The floor of a line is copying its 50 bytes; that of a fingerprint is reading the kernel's name,
// here 162 letters, the mean of a ResNet-18 training step in PyTorch.

#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "counters/profile_reader.hpp"
#include "profile/launch_fingerprint.hpp"
#include "profile/profile_writer.hpp"
#include "profile/step_detector.hpp"

namespace {

namespace fs = std::filesystem;
using namespace rooflab::counters;
using namespace rooflab::profile;

/// A profile of a trace with `kernels` kernels; its file is deleted with this object.
class TraceProfile {
 public:
  explicit TraceProfile(std::int64_t kernels)
      : path_(fs::temp_directory_path() / ("rooflab-bench-" + std::to_string(::getpid()))) {
    fs::remove(path_);
    ProfileWriter writer(path_.string());
    ProfileHead head;
    head.executable = "/usr/bin/program";
    head.mode = "trace";
    writer.head(head);
    constexpr std::uint32_t signatures = 200;
    for (std::uint32_t id = 0; id < signatures; ++id) {
      const std::string name = "_Z6kernel" + std::to_string(id);
      writer.signature(id, {name, {132, 1, 1}, {256, 1, 1}, 32, 1024});
    }
    for (std::int64_t i = 0; i < kernels; ++i) {
      writer.kernel(static_cast<std::uint32_t>(i) % signatures, 0, 7, 1'800'000'000'000 + 9000 * i,
                    8000, static_cast<std::uint32_t>(i), 0);
    }
    writer.end("exit", kernels);
  }
  ~TraceProfile() { fs::remove(path_); }
  TraceProfile(const TraceProfile&) = delete;
  TraceProfile& operator=(const TraceProfile&) = delete;

  [[nodiscard]] const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

void write_kernel_line(benchmark::State& state) {
  ProfileWriter writer("/dev/null");
  std::int64_t start_ns = 1'800'000'000'000;
  for (auto _ : state) writer.kernel(17, 0, 7, start_ns += 9000, 8000, 12345, 0);
  if (!writer.ok()) state.SkipWithError("nothing can be written to /dev/null");
}
BENCHMARK(write_kernel_line);

void fingerprint_launch(benchmark::State& state) {
  const std::string name(162, 'k');
  for (auto _ : state) {
    benchmark::DoNotOptimize(launch_fingerprint(name, {132, 1, 1}, {256, 1, 1}));
  }
}
BENCHMARK(fingerprint_launch);

void follow_step(benchmark::State& state) {
  constexpr std::uint64_t launches = 300;
  StepDetector detector;
  std::uint64_t next = 0;
  double now_s = 0.0;
  const auto launch = [&] { return detector.before_launch(next++ % launches, now_s += 2e-5); };
  while (detector.launches_per_step() == 0 && next < 1'000'000) launch();
  if (detector.launches_per_step() != launches) state.SkipWithError("the step was not found");
  for (auto _ : state) benchmark::DoNotOptimize(launch());
}
BENCHMARK(follow_step);

void read_trace(benchmark::State& state) {
  const TraceProfile profile(state.range(0));
  for (auto _ : state) {
    const rooflab::record::Record record = read_profile(profile.path());
    if (record.kernels->size() != static_cast<std::size_t>(state.range(0))) {
      state.SkipWithError("kernels were lost");
    }
  }
  state.SetBytesProcessed(state.iterations() *
                          static_cast<std::int64_t>(fs::file_size(profile.path())));
}
BENCHMARK(read_trace)->Arg(200'000)->Unit(benchmark::kMillisecond);

}  // namespace
