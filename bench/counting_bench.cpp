// How long counting takes: building a network, lowering it to its schedule, the cost of every
// scheduled op, and the fold into layers. `--benchmark_filter=count` runs the sum of all four.
//
// What must hold: the whole process `rooflab summary resnet152` in 30 ms (process_bench times whole
// processes).

#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>

#include "rooflab/analyze/network_count.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/predict/memory_model.hpp"
#include "rooflab/schedule/schedule.hpp"
#include "rooflab/zoo/zoo.hpp"

namespace {

using namespace rooflab;

schedule::Schedule lowered(const std::string& model, Phase phase) {
  return schedule::lower(zoo::build(model, {.batch = 32}), {.phase = phase});
}

void build(benchmark::State& state, const std::string& model) {
  for (auto _ : state) benchmark::DoNotOptimize(zoo::build(model, {.batch = 32}));
}

void lower(benchmark::State& state, const std::string& model) {
  const graph::Graph network = zoo::build(model, {.batch = 32});
  for (auto _ : state) {
    benchmark::DoNotOptimize(schedule::lower(network, {.phase = Phase::training}));
  }
}

void cost(benchmark::State& state, const std::string& model) {
  const schedule::Schedule schedule = lowered(model, Phase::training);
  for (auto _ : state) benchmark::DoNotOptimize(predict::limit_of(schedule, device::Device{}));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(schedule.ops.size()));
}

void memory(benchmark::State& state, const std::string& model) {
  const schedule::Schedule schedule = lowered(model, Phase::training);
  for (auto _ : state) benchmark::DoNotOptimize(predict::estimate_memory(schedule));
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(schedule.ops.size()));
}

void count(benchmark::State& state, const std::string& model) {
  for (auto _ : state) {
    const schedule::Schedule schedule = lowered(model, Phase::inference);
    const predict::NetworkLimit totals = predict::limit_of(schedule, device::Device{});
    benchmark::DoNotOptimize(analyze::count_network(schedule));
    benchmark::DoNotOptimize(analyze::layer_table(schedule, totals));
  }
}

const bool registered = [] {
  for (const std::string model : {"resnet18", "resnet152", "densenet201", "vit_l_16"}) {
    const auto add = [&model](const std::string& step, auto* function) {
      benchmark::RegisterBenchmark((step + "/" + model).c_str(), function, model)
          ->Unit(benchmark::kMicrosecond);
    };
    add("build", build);
    add("lower", lower);
    add("cost", cost);
    add("memory", memory);
    add("count", count);
  }
  return true;
}();

}  // namespace
