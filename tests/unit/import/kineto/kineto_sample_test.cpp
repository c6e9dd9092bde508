// The sample trace: ResNet-18, batch 16, three training steps on an H200. The expected figures come
// from the file by Python's json module, times as decimals:
//   ev = json.loads(text, parse_float=Decimal)["traceEvents"]
//   k = [e for e in ev if e.get("cat") == "kernel"]; sum(int(e["dur"] * 1000) for e in k)
//   call = {e["args"]["correlation"]: e["args"].get("External id", 0)
//           for e in ev if e.get("cat") in ("cuda_runtime", "cuda_driver")}
//   sum(e["args"].get("External id") or call.get(e["args"]["correlation"], 0) for e in k)
// and so on.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "record/record_notes.hpp"
#include "rooflab/import/readers.hpp"

namespace rooflab::import {
namespace {

using record::KernelFigure;
using record::RangeKind;

const record::Record& sample_trace() {
  static const record::Record record =
      read_kineto_trace(std::filesystem::path(ROOFLAB_SOURCE_DIR) /
                        "tests/data/import/kineto/resnet18-b16-train.pt.trace.json.gz");
  return record;
}

TEST(KinetoSample, EveryEventHasItsPlace) {
  const record::RangeTable& ranges = sample_trace().trace->ranges;
  EXPECT_EQ(sample_trace().kernels->size(), 1116U);
  EXPECT_EQ(std::ranges::count(ranges.kind, RangeKind::op), 2976);
  EXPECT_EQ(std::ranges::count(ranges.kind, RangeKind::runtime), 2656 + 6);
  EXPECT_EQ(std::ranges::count(ranges.kind, RangeKind::annotation), 9);
  EXPECT_EQ(std::ranges::count(ranges.kind, RangeKind::device_annotation), 6);
  EXPECT_EQ(std::ranges::count(ranges.kind, RangeKind::overhead), 0);
  EXPECT_EQ(sample_trace().trace->copies.size(), 23U);
  EXPECT_TRUE(sample_trace().trace->allocations.empty());
  EXPECT_TRUE(sample_trace().trace->communications.empty());
  EXPECT_EQ(ranges.threads.size(), 3U);
  EXPECT_TRUE(sample_trace().lost.empty());
  // The profiler could not tell the occupancy of 325 of 1116 launches, and wrote 0.
  ASSERT_EQ(sample_trace().warnings.size(), 1U);
  EXPECT_EQ(sample_trace().warnings[0], (Note{record::says.never_zero, {"occupancy", 325, 1116}}));
}

TEST(KinetoSample, TimesAreExact) {
  const record::RangeTable& ranges = sample_trace().trace->ranges;
  std::int64_t ops_ns = 0;
  for (std::size_t row = 0; row < ranges.size(); ++row) {
    if (ranges.kind[row] == RangeKind::op) ops_ns += ranges.duration_ns[row];
  }
  EXPECT_EQ(ops_ns, 44'691'770);
  EXPECT_EQ(std::llround(sample_trace().kernels->sum(KernelFigure::time_s).value() * 1e9),
            12'971'301);
  EXPECT_EQ(sample_trace().kernels->launch(0).start_ns, 4396074158524577);
  std::int64_t copies_ns = 0;
  std::int64_t bytes = 0;
  for (const record::CopyEvent& copy : sample_trace().trace->copies) {
    EXPECT_EQ(copy.kind, record::CopyKind::memset);
    copies_ns += copy.duration_ns;
    bytes += copy.bytes;
  }
  EXPECT_EQ(copies_ns, 37'664);
  EXPECT_EQ(bytes, 71'770'148);
}

TEST(KinetoSample, KernelsHaveTheirFigures) {
  const record::KernelTable& kernels = *sample_trace().kernels;
  EXPECT_EQ(kernels.names.size(), 57U);
  EXPECT_NEAR(kernels.sum(KernelFigure::blocks_per_sm).value(), 12974.628978, 1e-6);
  EXPECT_NEAR(kernels.sum(KernelFigure::warps_per_sm).value(), 94812.907462, 1e-6);
  EXPECT_NEAR(kernels.sum(KernelFigure::occupancy).value(), 511.82, 1e-9);
  EXPECT_EQ(kernels.sum(KernelFigure::registers_per_thread), 63739.0);
  EXPECT_EQ(kernels.sum(KernelFigure::shared_memory_bytes), 38919000.0);
  std::int64_t grids = 0;
  std::int64_t blocks = 0;
  std::int64_t ops = 0;
  std::int64_t without_op = 0;
  for (std::size_t row = 0; row < kernels.size(); ++row) {
    const record::KernelLaunch launch = kernels.launch(row);
    grids += launch.grid[0];
    blocks += launch.block[0];
    ops += launch.external_id;
    without_op += launch.external_id == 0 ? 1 : 0;
    EXPECT_EQ(launch.device, 0);
    EXPECT_EQ(launch.stream, 7);
  }
  EXPECT_EQ(grids, 483'437);
  EXPECT_EQ(blocks, 274'059);
  EXPECT_EQ(ops, 1'723'613);
  EXPECT_EQ(without_op, 6);
}

TEST(KinetoSample, OpsHaveTheirNumbers) {
  const record::RangeTable& ranges = sample_trace().trace->ranges;
  std::int64_t ids = 0;
  std::int64_t sequences = 0;
  std::int64_t sequence_sum = 0;
  for (std::size_t row = 0; row < ranges.size(); ++row) {
    if (ranges.kind[row] != RangeKind::op) continue;
    ids += ranges.external_id[row];
    if (ranges.sequence[row] < 0) continue;
    ++sequences;
    sequence_sum += ranges.sequence[row];
  }
  EXPECT_EQ(ids, 4'591'662);
  EXPECT_EQ(sequences, 915);
  EXPECT_EQ(sequence_sum, 295'968);
}

TEST(KinetoSample, SaysWhatItRanOn) {
  const record::Environment& environment = sample_trace().environment;
  EXPECT_EQ(sample_trace().identity.model, "resnet18-b16-train");
  EXPECT_EQ(sample_trace().identity.device, "cuda:0");
  EXPECT_EQ(sample_trace().identity.phase, Phase::training);
  EXPECT_EQ(sample_trace().identity.optimizer, "sgd");
  EXPECT_EQ(environment.device.name, "NVIDIA H200");
  EXPECT_EQ(environment.device.memory, Bytes(150'109'880'320));
  EXPECT_EQ(environment.device.compute_capability, "9.0");
  EXPECT_EQ(environment.device.multiprocessors, 132);
  EXPECT_EQ(environment.libraries.at("cuda runtime"), "13.0");
  // 1790857026 s + 4396074.158 s: `date -u -d @1795253100`
  EXPECT_EQ(environment.date, "2026-11-21T09:25:00Z");
  EXPECT_EQ(sample_trace().trace->base_ns, 1790857026000000000);
  EXPECT_EQ(sample_trace().kernels->processes[0], "python3 (417)");
  ASSERT_EQ(sample_trace().trace->devices.size(), 1U);
  EXPECT_EQ(sample_trace().trace->devices[0].max_threads_per_multiprocessor, 2048);
}

}  // namespace
}  // namespace rooflab::import
