// Device memory and the second-level cache.
//
// dram.read, write, copy, triad: bytes that a kernel reads and writes over the device's time of a
// launch, B/s. Arrays of 8 GiB (quick: 4), at most an eighth of the free memory, each a multiple of
// the L2's size, so that what the L2 keeps of the last pass is lost in the rest (60 MB of 8 GiB:
// 0.7 %). Blocks, accesses in flight, cache hints and the way over the array are tried out, and so
// are the driver's own memset and copy; the best is measured. Every kernel's result is checked
// exactly (sums of 32-bit words modulo 2^32) before its figure counts.
//
// l2.read: the same loads, past the L1, round and round over 1/4, 3/8 or 1/2 of the L2, so that all
// but the first round hit; the best of these sizes. Halves, because on devices whose L2 has two
// partitions data of the far one may be held twice.

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <utility>

#include "base/format.hpp"
#include "cuda_bench.hpp"
#include "cuda_memory.hpp"
#include "notes/engine_notes.hpp"
#include "rooflab/base/error.hpp"
#include "stream_kernels.hpp"

namespace rooflab::probe_worker {
namespace {

/// Three arrays and the slots for sums.
class StreamMemory {
 public:
  explicit StreamMemory(std::size_t words)
      : memory_(3 * words * sizeof(std::uint32_t)), sums_(sum_slots * sizeof(std::uint32_t)) {
    arrays_.a = memory_.as<std::uint32_t>();
    arrays_.b = arrays_.a + words;
    arrays_.c = arrays_.b + words;
    arrays_.words = words;
    arrays_.sums = sums_.as<std::uint32_t>();
    fill_pattern(arrays_.a, 3 * words);
    fill_pattern(arrays_.b, words);
    fill_pattern(arrays_.c, words);
    check_launch("filling arrays");
  }

  [[nodiscard]] const StreamArrays& arrays() const { return arrays_; }
  [[nodiscard]] double bytes() const {
    return static_cast<double>(arrays_.words) * sizeof(std::uint32_t);
  }

  void clear_sums() const {
    check(cudaMemset(arrays_.sums, 0, sum_slots * sizeof(std::uint32_t)), "clearing sums");
  }
  [[nodiscard]] std::uint32_t sum() const {
    std::vector<std::uint32_t> slots(sum_slots);
    check(cudaMemcpy(slots.data(), arrays_.sums, sum_slots * sizeof(std::uint32_t),
                     cudaMemcpyDeviceToHost),
          "reading sums");
    return std::accumulate(slots.begin(), slots.end(), std::uint32_t{0});
  }

 private:
  DeviceMemory memory_;
  DeviceMemory sums_;
  StreamArrays arrays_;
};

/// A way to move memory that is tried out.
struct Way {
  std::function<void()> launch;
  std::string name;
};

std::string name_of_way(const StreamKernel& kernel, bool resident) {
  const std::string hint = kernel.caching == Caching::plain  ? ""
                           : kernel.caching == Caching::once ? ", streaming"
                                                             : ", streaming with prefetch";
  return format("{} x 16 B a thread, blocks of {}{}{}", kernel.unroll, kernel.block, hint,
                resident ? ", resident" : "");
}

std::vector<Way> ways_of(StreamKind kind, const StreamArrays& arrays) {
  std::vector<Way> ways;
  for (const StreamKernel& kernel : stream_kernels(kind)) {
    for (const bool resident : {false, true}) {
      ways.push_back({[launch = kernel.launch, arrays, resident] { launch(arrays, resident); },
                      name_of_way(kernel, resident)});
    }
  }
  const std::size_t bytes = arrays.words * sizeof(std::uint32_t);
  if (kind == StreamKind::write) {
    ways.push_back({[arrays, bytes] {
                      check(cudaMemsetAsync(arrays.a, written_word & 0xFFU, bytes), "cudaMemset");
                    },
                    "cudaMemset"});
  }
  if (kind == StreamKind::copy) {
    ways.push_back({[arrays, bytes] {
                      check(cudaMemcpyAsync(arrays.a, arrays.b, bytes, cudaMemcpyDeviceToDevice),
                            "cudaMemcpy");
                    },
                    "cudaMemcpy"});
  }
  return ways;
}

class Bandwidth {
 public:
  explicit Bandwidth(CudaBench& bench) : bench_(bench) {}

  void measure(const std::string& name, StreamKind kind, int moved) {
    const StreamMemory& memory = this->memory();
    const Way best = best_of(ways_of(kind, memory.arrays()));
    const double bytes = moved * memory.bytes();
    const Train train = train_for(bench_.timer.time(best.launch, {.count = 1}));
    const RepetitionPlan plan{.warm_up_s = bench_.quick ? 0.1 : 0.3,
                              .measured_s = bench_.quick ? 0.2 : 0.5};
    const Statistics times = bench_.timer.repeat(best.launch, train, plan);
    if (!correct(kind, best)) {
      throw Error(ErrorKind::capability, name + ": the sums are wrong; no figure");
    }
    bench_.results.figure(
        rate(name, "B/s", bytes, times,
             format("{:.0f} MiB arrays, {}", memory.bytes() / mebibyte, best.name)));
  }

 private:
  const StreamMemory& memory() {
    if (memory_) return *memory_;
    constexpr std::size_t gibibyte = std::size_t{1} << 30;
    const std::size_t most = free_device_memory() / 8;
    const std::size_t bytes = std::min((bench_.quick ? 4 : 8) * gibibyte, most);
    const std::size_t words = bytes / sizeof(std::uint32_t) / stream_grain * stream_grain;
    if (words == 0) throw Error(ErrorKind::capability, "too little free memory for the bandwidth");
    const auto l2 = static_cast<std::size_t>(bench_.properties.l2CacheSize);
    if (words * sizeof(std::uint32_t) < 20 * l2) {
      bench_.results.note({engine::says.arrays_below_l2});
    }
    memory_.emplace(words);
    return *memory_;
  }

  Way best_of(const std::vector<Way>& ways) const {
    const Way* best = &ways.front();
    double least_s = std::numeric_limits<double>::max();
    for (const Way& way : ways) {
      for (int trial = 0; trial < 2; ++trial) {
        const double time_s = bench_.timer.time(way.launch, {.count = 2});
        if (time_s >= least_s) continue;
        least_s = time_s;
        best = &way;
      }
    }
    return *best;
  }

  /// Whether one launch does what it should, by the sum of what it read or wrote.
  bool correct(StreamKind kind, const Way& way) const {
    const StreamArrays& arrays = memory_->arrays();
    const std::uint32_t pattern = pattern_sum(arrays.words);
    memory_->clear_sums();
    way.launch();
    if (kind == StreamKind::read) return memory_->sum() == pattern;
    StreamArrays written = arrays;
    written.b = arrays.a;
    memory_->clear_sums();
    stream_kernels(StreamKind::read).front().launch(written, false);
    const std::uint32_t sum = memory_->sum();
    if (kind == StreamKind::copy) return sum == pattern;
    if (kind == StreamKind::triad) return sum == pattern + triad_factor * pattern;
    return sum == written_word * static_cast<std::uint32_t>(arrays.words);
  }

  CudaBench& bench_;
  std::optional<StreamMemory> memory_;
};

void measure_l2(CudaBench& bench) {
  const auto l2 = static_cast<std::size_t>(bench.properties.l2CacheSize);
  if (l2 == 0) throw Error(ErrorKind::capability, "l2.read: the device names no L2 cache");
  const std::size_t words = (l2 / 2 / sizeof(std::uint32_t) / stream_grain + 1) * stream_grain;
  const StreamMemory memory(words);
  const StreamArrays& arrays = memory.arrays();

  std::function<void()> best;
  double best_bytes = 0.0;
  double best_rate = 0.0;
  std::string best_name;
  for (const CacheKernel& kernel : cache_kernels()) {
    const int blocks = kernel.resident_blocks();
    for (const std::size_t eighths : {2U, 3U, 4U}) {
      const auto tile = static_cast<std::size_t>(kernel.tile_bytes);
      const std::size_t bytes = std::max(l2 * eighths / 8 / tile, std::size_t{1}) * tile;
      const double once = static_cast<double>(blocks) * kernel.tile_bytes;
      const int rounds =
          static_cast<int>(std::clamp(64.0 * static_cast<double>(l2) / once, 8.0, 1e6));
      const auto launch = [arrays, run = kernel.launch, bytes, blocks, rounds] {
        run(arrays.b, bytes, blocks, rounds, arrays.sums);
      };
      const double speed = once * rounds / bench.timer.time(launch, {.count = 2});
      if (speed <= best_rate) continue;
      best_rate = speed;
      best = launch;
      best_bytes = once * rounds;
      best_name = format("{:.1f} MiB of {:.1f} MiB, {} x 16 B a thread, blocks of {}",
                         static_cast<double>(bytes) / mebibyte, static_cast<double>(l2) / mebibyte,
                         kernel.unroll, kernel.block);
    }
  }
  const Statistics times =
      bench.timer.repeat(best, train_for(best_bytes / best_rate), {.warm_up_s = 0.1});
  bench.results.figure(rate("l2.read", "B/s", best_bytes, times, best_name));
}

}  // namespace

std::vector<Step> cuda_bandwidth(CudaBench& bench) {
  const auto bandwidth = std::make_shared<Bandwidth>(bench);
  std::vector<Step> steps;
  const auto add = [&](const std::string& name, StreamKind kind, int moved) {
    if (bench.results.find(name) != nullptr) return;
    steps.push_back({.expected_s = bench.quick ? 0.7 : 1.6,
                     .run = [=] { bandwidth->measure(name, kind, moved); }});
  };
  add("dram.read", StreamKind::read, 1);
  add("dram.write", StreamKind::write, 1);
  add("dram.copy", StreamKind::copy, 2);
  add("dram.triad", StreamKind::triad, 3);
  return steps;
}

std::vector<Step> cuda_l2(CudaBench& bench) {
  if (bench.results.find("l2.read") != nullptr) return {};
  return {{.expected_s = 0.5, .run = [&bench] { measure_l2(bench); }}};
}

}  // namespace rooflab::probe_worker
