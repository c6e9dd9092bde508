// h2d.pinned, d2h.pinned, h2d.pageable, d2h.pageable: 256 MiB between host and device, B/s. Pinned
// copies by device events; pageable ones by the host's clock around a call that waits, because part
// of them is the host's own copying. All host memory has been touched before.
// h2d.latency: the host's time of a copy of 4 pinned bytes that it waits for, s.

#include <cstring>

#include "cuda_bench.hpp"
#include "cuda_memory.hpp"
#include "stopwatch.hpp"

namespace rooflab::probe_worker {
namespace {

constexpr std::size_t copied_bytes = std::size_t{256} << 20;

void copy_pinned(CudaBench& bench, const std::string& name, cudaMemcpyKind kind) {
  const PinnedMemory host(copied_bytes);
  const DeviceMemory device(copied_bytes);
  std::memset(host.as<void>(), 1, copied_bytes);
  const bool down = kind == cudaMemcpyHostToDevice;
  void* to = down ? device.as<void>() : host.as<void>();
  const void* from = down ? host.as<void>() : device.as<void>();
  const Statistics times =
      bench.timer.repeat([&] { check(cudaMemcpyAsync(to, from, copied_bytes, kind), "copying"); },
                         {.count = 2}, {.warm_up_s = 0.05, .measured_s = bench.quick ? 0.1 : 0.2});
  bench.results.figure(rate(name, "B/s", static_cast<double>(copied_bytes), times, "256 MiB"));
}

void copy_pageable(CudaBench& bench, const std::string& name, cudaMemcpyKind kind) {
  std::vector<char> host(copied_bytes, 1);
  const DeviceMemory device(copied_bytes);
  const bool down = kind == cudaMemcpyHostToDevice;
  void* to = down ? device.as<void>() : host.data();
  const void* from = down ? static_cast<const void*>(host.data()) : device.as<void>();
  const auto once = [&] {
    const Stopwatch watch;
    check(cudaMemcpy(to, from, copied_bytes, kind), "copying");
    return watch.seconds();
  };
  const RepetitionPlan plan{.warm_up_s = 0.1, .least = 5, .measured_s = bench.quick ? 0.1 : 0.3};
  bench.results.figure(
      rate(name, "B/s", static_cast<double>(copied_bytes), repeat(once, plan), "256 MiB"));
}

void copy_little(CudaBench& bench, const std::string& name) {
  constexpr int copies = 100;
  const PinnedMemory host(sizeof(std::uint32_t));
  const DeviceMemory device(sizeof(std::uint32_t));
  std::memset(host.as<void>(), 1, host.bytes());
  const auto once = [&] {
    const Stopwatch watch;
    for (int i = 0; i < copies; ++i) {
      check(cudaMemcpy(device.as<void>(), host.as<void>(), host.bytes(), cudaMemcpyHostToDevice),
            "copying");
      check(cudaStreamSynchronize(nullptr), "waiting for the device");
    }
    return watch.seconds() / copies;
  };
  const RepetitionPlan plan{.warm_up_s = 0.05 / copies, .least = 20, .measured_s = 0.1 / copies};
  bench.results.figure(duration(name, repeat(once, plan), "4 B"));
}

}  // namespace

std::vector<Step> cuda_transfers(CudaBench& bench) {
  std::vector<Step> steps;
  const auto add = [&](const std::string& name, auto measure) {
    if (bench.results.find(name) != nullptr) return;
    steps.push_back({.expected_s = 0.5, .run = [=, &bench] { measure(bench, name); }});
  };
  const auto pinned = [](cudaMemcpyKind kind) {
    return [kind](CudaBench& b, const std::string& name) { copy_pinned(b, name, kind); };
  };
  const auto pageable = [](cudaMemcpyKind kind) {
    return [kind](CudaBench& b, const std::string& name) { copy_pageable(b, name, kind); };
  };
  add("h2d.pinned", pinned(cudaMemcpyHostToDevice));
  add("h2d.pageable", pageable(cudaMemcpyHostToDevice));
  add("d2h.pinned", pinned(cudaMemcpyDeviceToHost));
  add("d2h.pageable", pageable(cudaMemcpyDeviceToHost));
  add("h2d.latency", copy_little);
  return steps;
}

}  // namespace rooflab::probe_worker
