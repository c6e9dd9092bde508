// peak.fp32_vector, fp64_vector, fp16_vector: multiply-adds on registers over the device's time of
// a launch, FLOP/s, a multiply-add being two. As many blocks as the device holds at once; launches
// of some 10 ms, so that their beginning and end are lost in them. It is the rate of the units
// themselves: no code that also loads, stores or counts reaches it.

#include <algorithm>
#include <cmath>

#include "arithmetic_kernels.hpp"
#include "base/format.hpp"
#include "cuda_bench.hpp"
#include "cuda_memory.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::probe_worker {
namespace {

void measure(CudaBench& bench, const std::string& name, VectorType type) {
  constexpr double launch_s = 0.01;
  constexpr int trial_rounds = 64;
  const ArithmeticKernel* best = nullptr;
  double best_rate = 0.0;
  int rounds = 0;
  for (const ArithmeticKernel& kernel : arithmetic_kernels(type)) {
    const int blocks = kernel.resident_blocks();
    const DeviceMemory out(static_cast<std::size_t>(blocks) *
                           static_cast<std::size_t>(kernel.block) * 8);
    const auto time = [&](int count) {
      return bench.timer.time([&] { kernel.launch(out.as<void>(), blocks, count); }, {.count = 1});
    };
    static_cast<void>(time(trial_rounds));  // the first launch also loads the kernel
    const double trial_s = time(trial_rounds);
    const int enough = static_cast<int>(std::clamp(trial_rounds * launch_s / trial_s, 1.0, 1.0e7));
    const double speed = kernel.operations_a_round * kernel.block * blocks * enough /
                         std::min(time(enough), time(enough));
    if (speed <= best_rate) continue;
    best_rate = speed;
    best = &kernel;
    rounds = enough;
  }
  if (best == nullptr) throw Error(ErrorKind::capability, name + ": the device gave no time");
  const int blocks = best->resident_blocks();
  const DeviceMemory out(static_cast<std::size_t>(blocks) * static_cast<std::size_t>(best->block) *
                         8);
  const Statistics times =
      bench.timer.repeat([&] { best->launch(out.as<void>(), blocks, rounds); }, {.count = 1},
                         {.warm_up_s = bench.quick ? 0.1 : 0.3, .measured_s = 0.3});
  bench.results.figure(
      rate(name, "FLOP/s", best->operations_a_round * best->block * blocks * rounds, times,
           format("{} chains a thread, {} blocks of {}", best->chains, blocks, best->block)));
}

}  // namespace

std::vector<Step> cuda_vector_peaks(CudaBench& bench) {
  std::vector<Step> steps;
  const auto add = [&](const std::string& name, VectorType type) {
    if (bench.results.find(name) != nullptr) return;
    steps.push_back(
        {.expected_s = 0.7, .run = [&bench, name, type] { measure(bench, name, type); }});
  };
  add("peak.fp32_vector", VectorType::fp32);
  add("peak.fp64_vector", VectorType::fp64);
  if (bench.capability() >= 53) add("peak.fp16_vector", VectorType::fp16);
  return steps;
}

}  // namespace rooflab::probe_worker
