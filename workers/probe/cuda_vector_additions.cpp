// The vector addition c = a + b of floats, launched three ways, in two kinds of memory.
//
//   1x1     one block of one thread: what a GPU does without parallelism
//   1x256   one block: one of its many multiprocessors
//   Nx256   N/256 blocks of 256 threads, a thread for each element
//
//   device   cudaMalloc; both operands are copied there (cudaMemcpy, pageable host memory), the sum
//            is copied back
//   managed  cudaMallocManaged, allocated again for every repetition and written by the host: its
//            pages move when the kernel touches them, so the kernel's time holds the way there; the
//            host's first reading of the sum holds the way back
//
// The kernel is timed by device events, everything else by the host's clock, from the first copy
// (or the launch) until the host has the sum; allocating is in no time. The row is the repetition
// of the median total out of three; of one where a repetition takes over 0.3 s.

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/format.hpp"
#include "cuda_bench.hpp"
#include "cuda_memory.hpp"
#include "host_loops.hpp"
#include "rooflab/base/error.hpp"
#include "small_kernels.hpp"
#include "stopwatch.hpp"

namespace rooflab::probe_worker {
namespace {

using device::VectorAddition;

struct Launch {
  const char* name;
  double ns_per_element;  ///< expected of the kernel
  unsigned threads;
  bool one_block;

  [[nodiscard]] unsigned blocks(std::size_t elements) const {
    return one_block ? 1 : static_cast<unsigned>((elements + threads - 1) / threads);
  }
};

constexpr std::array launches = {Launch{"1x1", 70.0, 1, true}, Launch{"1x256", 0.5, 256, true},
                                 Launch{"Nx256", 0.003, 256, false}};

class KernelEvents {
 public:
  KernelEvents() {
    check(cudaEventCreate(&begin_), "making an event");
    check(cudaEventCreate(&end_), "making an event");
  }
  ~KernelEvents() {
    static_cast<void>(cudaEventDestroy(begin_));
    static_cast<void>(cudaEventDestroy(end_));
  }
  KernelEvents(const KernelEvents&) = delete;
  KernelEvents& operator=(const KernelEvents&) = delete;

  /// Adds on the device, waits, and gives the kernel's seconds.
  double add(const float* a, const float* b, float* c, std::size_t elements, const Launch& launch) {
    check(cudaEventRecord(begin_), "recording an event");
    launch_addition(a, b, c, elements, launch.blocks(elements), launch.threads);
    check(cudaEventRecord(end_), "recording an event");
    check_launch("adding vectors");
    check(cudaEventSynchronize(end_), "waiting for the device");
    float milliseconds = 0.0F;
    check(cudaEventElapsedTime(&milliseconds, begin_, end_), "reading an event");
    return static_cast<double>(milliseconds) * 1e-3;
  }

 private:
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
};

VectorAddition add_in_device_memory(const Operands& given, const Launch& launch) {
  const std::size_t elements = given.a.size();
  const std::size_t bytes = elements * sizeof(float);
  const DeviceMemory a(bytes);
  const DeviceMemory b(bytes);
  const DeviceMemory c(bytes);
  std::vector<float> sums(elements);
  KernelEvents events;

  const Stopwatch watch;
  check(cudaMemcpy(a.as<void>(), given.a.data(), bytes, cudaMemcpyHostToDevice), "copying");
  check(cudaMemcpy(b.as<void>(), given.b.data(), bytes, cudaMemcpyHostToDevice), "copying");
  // A small copy may return before its data has arrived.
  check(cudaDeviceSynchronize(), "waiting for the device");
  const double copied_s = watch.seconds();
  const double kernel_s = events.add(a.as<float>(), b.as<float>(), c.as<float>(), elements, launch);
  const double added_s = watch.seconds();
  check(cudaMemcpy(sums.data(), c.as<void>(), bytes, cudaMemcpyDeviceToHost), "copying");
  const double total_s = watch.seconds();
  return {.kernel_s = kernel_s,
          .to_device_s = copied_s,
          .to_host_s = total_s - added_s,
          .total_s = total_s,
          .correct = sums == given.sums};
}

VectorAddition add_in_managed_memory(const Operands& given, const Launch& launch) {
  const std::size_t elements = given.a.size();
  const std::size_t bytes = elements * sizeof(float);
  const ManagedMemory a(bytes);
  const ManagedMemory b(bytes);
  const ManagedMemory c(bytes);
  std::memcpy(a.as<void>(), given.a.data(), bytes);
  std::memcpy(b.as<void>(), given.b.data(), bytes);
  KernelEvents events;

  const Stopwatch watch;
  const double kernel_s = events.add(a.as<float>(), b.as<float>(), c.as<float>(), elements, launch);
  const double added_s = watch.seconds();
  const std::span<const float> sums(c.as<const float>(), elements);
  // Stored where the compiler must assume that someone looks: the reading is not left out.
  [[maybe_unused]] volatile std::uint32_t seen = checksum_on_host(sums);
  const double total_s = watch.seconds();
  return {.kernel_s = kernel_s,
          .to_host_s = total_s - added_s,
          .total_s = total_s,
          .correct = std::equal(sums.begin(), sums.end(), given.sums.begin())};
}

/// Managed memory is asked for only where the device has twice as much free.
void check_managed(const CudaBench& bench, std::size_t elements) {
  if (bench.properties.managedMemory == 0) {
    throw Error(ErrorKind::capability, "the device has no managed memory");
  }
  if (free_device_memory() < 6 * elements * sizeof(float)) {
    throw Error(ErrorKind::capability,
                format("too little free memory for {} managed elements", elements));
  }
}

void measure(CudaBench& bench, const VectorAddition& row, const Launch& launch) {
  constexpr double long_s = 0.3;
  constexpr std::size_t repetitions = 3;
  const bool managed = row.memory == "managed";
  const auto elements = static_cast<std::size_t>(row.elements);
  if (managed) check_managed(bench, elements);
  const Operands& given = bench.operands.of(row.elements);
  {  // loads the kernel, which is in no time
    const DeviceMemory one(3 * sizeof(float));
    float* values = one.as<float>();
    launch_addition(values, values + 1, values + 2, 1, 1, 1);
    check(cudaDeviceSynchronize(), "waiting for the device");
  }
  std::vector<VectorAddition> rows;
  while (rows.size() < repetitions) {
    rows.push_back(managed ? add_in_managed_memory(given, launch)
                           : add_in_device_memory(given, launch));
    if (rows.back().total_s > long_s) break;
  }
  const bool correct =
      std::all_of(rows.begin(), rows.end(), [](const VectorAddition& r) { return r.correct; });
  std::sort(rows.begin(), rows.end(),
            [](const VectorAddition& x, const VectorAddition& y) { return x.total_s < y.total_s; });
  // Where a second one was long, the first two are there and the longer one stands for both.
  VectorAddition median = rows[rows.size() / 2];
  median.launch = row.launch;
  median.memory = row.memory;
  median.elements = row.elements;
  median.correct = correct;
  bench.results.vector_addition(median);
}

}  // namespace

std::vector<Step> cuda_vector_additions(CudaBench& bench) {
  constexpr std::int64_t million = 1'000'000;
  std::vector<Step> steps;
  for (const std::int64_t elements : vector_addition_sizes(bench.quick)) {
    if (!bench.results.has({.launch = "cpu", .memory = "host", .elements = elements})) {
      steps.push_back(cpu_addition(elements, bench.operands, bench.results));
    }
    for (const char* memory : {"device", "managed"}) {
      for (const Launch& launch : launches) {
        if (bench.quick && launch.threads == 1 && elements > million) continue;
        const VectorAddition row{.launch = launch.name, .memory = memory, .elements = elements};
        if (bench.results.has(row)) continue;
        const double repeated =
            static_cast<double>(elements) * launch.ns_per_element > 0.3e9 ? 1 : 3;
        const double each_ns = launch.ns_per_element + 4.0;
        steps.push_back(
            {.expected_s = 0.02 + repeated * static_cast<double>(elements) * each_ns * 1e-9,
             .run = [&bench, row, &launch] { measure(bench, row, launch); }});
      }
    }
  }
  return steps;
}

}  // namespace rooflab::probe_worker
