// What the writer of traces writes, the reader of traces reads.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "record/trace_event_writer.hpp"
#include "rooflab/import/readers.hpp"

namespace rooflab::import {
namespace {

using record::KernelFigure;
using record::RangeKind;
using record::Record;
using testing::IsEmpty;

Record everything() {
  Record record;
  record::Trace& trace = record.trace.emplace();
  trace.base_ns = 1'767'225'600'000'000'000;
  trace.rank = 1;
  trace.world_size = 2;
  trace.backend = "nccl";
  trace.devices = {{.id = 3,
                    .name = "NVIDIA H200",
                    .memory_bytes = 150'000'000'000,
                    .compute_capability = "9.0",
                    .multiprocessors = 132,
                    .max_threads_per_multiprocessor = 2048}};
  const std::vector<std::pair<RangeKind, std::string>> ranges = {
      {RangeKind::annotation, "ProfilerStep#0"},
      {RangeKind::op, "aten::conv2d \"quoted\" \\ \n \x01"},
      {RangeKind::runtime, "cudaLaunchKernel"},
      {RangeKind::device_annotation, "forward"},
      {RangeKind::overhead, "Buffer Flush"}};
  std::int64_t number = 0;
  for (const auto& [kind, name] : ranges) {
    trace.ranges.add({.kind = kind,
                      .name = name,
                      .thread = "main",
                      .start_ns = 1000 + number,
                      .duration_ns = 1'000'000 - 3 * number,
                      .external_id = number});
    ++number;
  }
  trace.ranges.correlation[2] = 17;
  trace.ranges.sequence[1] = 4;
  record::KernelTable& kernels = record.kernels.emplace();
  const std::size_t row = kernels.add({.name = kernels.names.intern("void gemm<float>(int)"),
                                       .launch = 17,
                                       .device = 3,
                                       .stream = 21,
                                       .grid = {4, 5, 6},
                                       .block = {128, 2, 1},
                                       .start_ns = 5003,
                                       .external_id = 1});
  for (const auto& [figure, value] : std::vector<std::pair<KernelFigure, double>>{
           {KernelFigure::time_s, 12345e-9},
           {KernelFigure::blocks_per_sm, 0.9090909090909091},
           {KernelFigure::warps_per_sm, 7.25},
           {KernelFigure::occupancy, 0.25},
           {KernelFigure::registers_per_thread, 40},
           {KernelFigure::shared_memory_bytes, 1024}}) {
    kernels.set(figure, row, value);
  }
  trace.copies = {
      {record::CopyKind::memcpy, trace.copy_names.intern("Memcpy HtoD"), 3, 7, 400, 77, 4096, 18},
      {record::CopyKind::memset, trace.copy_names.intern("Memset"), 3, 7, 500, 1}};
  return record;
}

TEST(WrittenTrace, IsReadBack) {
  const Record record = everything();
  const std::optional<std::int64_t> first = record::earliest_ns(record);
  ASSERT_TRUE(first);
  std::ostringstream stream;
  record::TraceEventWriter writer(stream, "a test", *first);
  writer.add({.name = "python3 (2191)", .record = record});
  writer.finish();
  const Record read = read_kineto_text(stream.str(), "t.trace.json");

  EXPECT_THAT(read.lost, IsEmpty());
  const record::Trace& was = *record.trace;
  const record::Trace& is = *read.trace;
  const std::int64_t shift = was.base_ns - is.base_ns;
  EXPECT_EQ(is.base_ns, *first);
  EXPECT_EQ(is.rank, 1);
  EXPECT_EQ(is.world_size, 2);
  EXPECT_EQ(is.backend, "nccl");
  ASSERT_EQ(is.devices.size(), 1U);
  EXPECT_EQ(is.devices[0].name, "NVIDIA H200");
  EXPECT_EQ(is.devices[0].memory_bytes, 150'000'000'000);
  EXPECT_EQ(is.devices[0].compute_capability, "9.0");
  EXPECT_EQ(is.devices[0].multiprocessors, 132);
  EXPECT_EQ(is.devices[0].max_threads_per_multiprocessor, 2048);

  ASSERT_EQ(is.ranges.size(), was.ranges.size());
  for (std::size_t i = 0; i < was.ranges.size(); ++i) {
    EXPECT_EQ(is.ranges.kind[i], was.ranges.kind[i]);
    EXPECT_EQ(is.ranges.names[is.ranges.name[i]], was.ranges.names[was.ranges.name[i]]);
    EXPECT_EQ(is.ranges.start_ns[i], was.ranges.start_ns[i] + shift);
    EXPECT_EQ(is.ranges.duration_ns[i], was.ranges.duration_ns[i]);
    EXPECT_EQ(is.ranges.external_id[i], was.ranges.external_id[i]);
    EXPECT_EQ(is.ranges.correlation[i], was.ranges.correlation[i]);
    EXPECT_EQ(is.ranges.sequence[i], was.ranges.sequence[i]);
  }

  ASSERT_EQ(read.kernels->size(), 1U);
  const record::KernelLaunch launch = read.kernels->launch(0);
  EXPECT_EQ(read.kernels->name(0), "void gemm<float>(int)");
  EXPECT_EQ(launch.launch, 17);
  EXPECT_EQ(launch.device, 3);
  EXPECT_EQ(launch.stream, 21);
  EXPECT_EQ(launch.grid, (record::Extent{4, 5, 6}));
  EXPECT_EQ(launch.block, (record::Extent{128, 2, 1}));
  EXPECT_EQ(launch.start_ns, 5003 + shift);
  EXPECT_EQ(launch.external_id, 1);
  for (const KernelFigure figure : values_of<KernelFigure>) {
    EXPECT_EQ(read.kernels->at(figure, 0), record.kernels->at(figure, 0)) << name_of(figure);
  }

  ASSERT_EQ(is.copies.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(is.copies[i].kind, was.copies[i].kind);
    EXPECT_EQ(is.copy_names[is.copies[i].name], was.copy_names[was.copies[i].name]);
    EXPECT_EQ(is.copies[i].stream, 7);
    EXPECT_EQ(is.copies[i].start_ns, was.copies[i].start_ns + shift);
    EXPECT_EQ(is.copies[i].duration_ns, was.copies[i].duration_ns);
    EXPECT_EQ(is.copies[i].bytes, was.copies[i].bytes);
    EXPECT_EQ(is.copies[i].correlation, was.copies[i].correlation);
  }
}

}  // namespace
}  // namespace rooflab::import
