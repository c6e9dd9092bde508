#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <fstream>

#include "../../base/note_matchers.hpp"
#include "../../record/equal_fields.hpp"
#include "base/format.hpp"
#include "notes/import_notes.hpp"
#include "notes/record_notes.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/import/readers.hpp"

namespace rooflab::import {
namespace {

using record::KernelFigure;
using record::RangeKind;
using record::Record;
using testing::ElementsAre;

Record read_trace(const std::string& events, const std::string& head = {}) {
  return read_kineto_text("{" + head + "\"traceEvents\": [" + events + "]}", "t.pt.trace.json");
}

constexpr const char* convolution_event =
    R"({"ph": "X", "cat": "cpu_op", "name": "aten::conv2d", "pid": 1, "tid": 2,
        "ts": 10.5, "dur": 3.25, "args": {"External id": 7, "Sequence number": 4,
        "Input Dims": [[16, 3, 224, 224], [], [[2, 2]]], "Input type": ["float", "", "ScalarList"],
        "Concrete Inputs": ["", "[1, 1]"]}})";

// What convolutions take from there: strides, as text. Other lists can hold whole tensors.
TEST(KinetoReader, OpsKeepShortScalarArgumentsBesideShapes) {
  const auto arguments_with = [](const std::string& values) {
    const Record record = read_trace(
        R"({"ph": "X", "cat": "cpu_op", "name": "a", "pid": 1, "tid": 2, "ts": 1, "dur": 1,
                 "args": {"Input Dims": [[2]], "Input type": ["float"], "Concrete Inputs": )" +
        values + "}}");
    return record.trace->ranges.arguments[record.trace->ranges.argument.at(0)];
  };
  EXPECT_EQ(arguments_with(R"(["", "[2, 2]"])"), "[[2]]\n[\"float\"]\n[\"\", \"[2, 2]\"]");
  EXPECT_EQ(arguments_with("[\"" + std::string(3000, '1') + "\"]"), "[[2]]\n[\"float\"]");
}

TEST(KinetoReader, OpsKeepShapesAndTypes) {
  const Record record = read_trace(convolution_event);
  const record::RangeTable& ranges = record.trace->ranges;
  ASSERT_EQ(ranges.size(), 1U);
  EXPECT_EQ(ranges.kind[0], RangeKind::op);
  EXPECT_EQ(ranges.names[ranges.name[0]], "aten::conv2d");
  EXPECT_EQ(ranges.threads[ranges.thread[0]], "1/2");
  EXPECT_EQ(ranges.arguments[ranges.argument[0]],
            "[[16, 3, 224, 224], [], [[2, 2]]]\n[\"float\", \"\", \"ScalarList\"]\n"
            "[\"\", \"[1, 1]\"]");
  EXPECT_EQ(ranges.arguments[0], "");
  EXPECT_EQ(ranges.start_ns[0], 10500);
  EXPECT_EQ(ranges.duration_ns[0], 3250);
  EXPECT_EQ(ranges.external_id[0], 7);
  EXPECT_EQ(ranges.sequence[0], 4);
  EXPECT_TRUE(record.lost.empty());
  EXPECT_EQ(record.identity.device, "cpu");
  EXPECT_EQ(record.identity.model, "t");
  EXPECT_THAT(record.warnings, ElementsAre(HasCode(says.trace_without_kernels)));
}

TEST(KinetoReader, RangesOfEveryKind) {
  const Record record = read_trace(R"(
      {"ph":"X","cat":"user_annotation","name":"ProfilerStep#1","pid":1,"tid":1,"ts":0,"dur":9},
      {"ph":"X","cat":"gpu_user_annotation","name":"ProfilerStep#1","pid":0,"tid":7,"ts":2,"dur":9},
      {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":3,"dur":1,
       "args":{"External id":5,"cbid":211,"correlation":99}},
      {"ph":"X","cat":"cuda_driver","name":"cuLaunchKernel","pid":1,"tid":1,"ts":4,"dur":1,
       "args":{"correlation":100}},
      {"ph":"X","cat":"overhead","name":"CUPTI Buffer","pid":-1,"tid":0,"ts":5,"dur":1},
      {"ph":"X","cat":"python_function","name":"f.py(1): g","pid":1,"tid":1,"ts":5,"dur":1},
      {"ph":"s","id":1,"pid":1,"tid":1,"ts":3,"cat":"ac2g","name":"ac2g"},
      {"ph":"f","id":1,"pid":0,"tid":7,"ts":3,"cat":"ac2g","name":"ac2g","bp":"e"},
      {"name":"Record Window End","ph":"i","s":"g","pid":"","tid":"","ts":8})");
  EXPECT_THAT(record.trace->ranges.kind,
              ElementsAre(RangeKind::annotation, RangeKind::device_annotation, RangeKind::runtime,
                          RangeKind::runtime, RangeKind::overhead));
  EXPECT_THAT(record.trace->ranges.correlation, ElementsAre(0, 0, 99, 100, 0));
  EXPECT_THAT(record.trace->ranges.external_id, ElementsAre(0, 0, 5, 0, 0));
  EXPECT_EQ(record.trace->python_ranges, 1);
  EXPECT_TRUE(record.lost.empty());
}

constexpr const char* gemm_event =
    R"({"ph": "X", "cat": "kernel", "name": "gemm", "pid": 3, "tid": 7, "ts": 100.001, "dur": 2.5,
        "args": {"queued": 0, "device": 3, "context": 1, "stream": 20, "correlation": 99,
        "registers per thread": 128, "shared memory": 49152, "blocks per SM": 1.5,
        "warps per SM": 12.0, "grid": [198, 2, 1], "block": [256, 1, 1],
        "est. achieved occupancy %": 38}})";

TEST(KinetoReader, KernelsKeepFiguresAndFindTheirOp) {
  const Record record = read_trace(std::string(gemm_event) + R"(,
      {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":3,"dur":1,
       "args":{"External id":5,"correlation":99}})");
  const record::KernelTable& kernels = *record.kernels;
  ASSERT_EQ(kernels.size(), 1U);
  const record::KernelLaunch launch = kernels.launch(0);
  EXPECT_EQ(kernels.name(0), "gemm");
  EXPECT_EQ(launch.launch, 99);
  EXPECT_EQ(launch.device, 3);
  EXPECT_EQ(launch.stream, 20);
  EXPECT_EQ(launch.grid, (record::Extent{198, 2, 1}));
  EXPECT_EQ(launch.block, (record::Extent{256, 1, 1}));
  EXPECT_EQ(launch.start_ns, 100001);
  EXPECT_EQ(launch.external_id, 5);  // of the call with the same correlation
  EXPECT_EQ(kernels.at(KernelFigure::time_s, 0), 2.5e-6);
  EXPECT_EQ(kernels.at(KernelFigure::blocks_per_sm, 0), 1.5);
  EXPECT_EQ(kernels.at(KernelFigure::warps_per_sm, 0), 12.0);
  EXPECT_EQ(kernels.at(KernelFigure::occupancy, 0), 0.38);
  EXPECT_EQ(kernels.at(KernelFigure::registers_per_thread, 0), 128.0);
  EXPECT_EQ(kernels.at(KernelFigure::shared_memory_bytes, 0), 49152.0);
  EXPECT_EQ(kernels.processes[launch.process], "(1)");
  EXPECT_EQ(record.identity.device, "cuda:3");
}

TEST(KinetoReader, OldTracesWriteOtherWords) {
  const Record record = read_trace(R"(
      {"ph":"X","cat":"Operator","name":"aten::add","pid":1,"tid":"1","ts":1,"dur":1,
       "args":{"Device":1,"External id":3}},
      {"ph":"X","cat":"Runtime","name":"cudaLaunchKernel","pid":1,"tid":"1","ts":1,"dur":1,
       "args":{"cbid":211,"correlation":4,"external id":3}},
      {"ph":"X","cat":"Kernel","name":"k","pid":0,"tid":"stream 7","ts":2,"dur":1,
       "args":{"device":0,"stream":7,"correlation":4,"external id":3}},
      {"ph":"X","cat":"Memcpy","name":"Memcpy HtoD","pid":0,"tid":"stream 7","ts":3,"dur":1,
       "args":{"device":0,"stream":7,"correlation":5,"bytes":64}},
      {"ph":"X","cat":"Memset","name":"Memset","pid":0,"tid":"stream 7","ts":4,"dur":1,
       "args":{"device":0,"stream":7,"correlation":6,"bytes":32}})");
  EXPECT_THAT(record.trace->ranges.kind, ElementsAre(RangeKind::op, RangeKind::runtime));
  EXPECT_THAT(record.trace->ranges.external_id, ElementsAre(3, 3));
  EXPECT_EQ(record.kernels->launch(0).external_id, 3);
  ASSERT_EQ(record.trace->copies.size(), 2U);
  EXPECT_EQ(record.trace->copies[0].kind, record::CopyKind::memcpy);
  EXPECT_EQ(record.trace->copies[0].bytes, 64);
  EXPECT_EQ(record.trace->copies[1].kind, record::CopyKind::memset);
  EXPECT_TRUE(record.lost.empty());
}

TEST(KinetoReader, ABareListIsATrace) {
  const Record record = read_kineto_text(
      R"([{"name": "aten::add", "ph": "X", "ts": 1.5, "dur": 1, "tid": 1, "pid": "CPU functions"},
          {"name": "k", "ph": "X", "ts": 2.5, "dur": 1, "tid": 0, "pid": "CUDA functions"}])",
      "old.json");
  EXPECT_EQ(record.trace->ranges.size(), 1U);
  EXPECT_EQ(record.kernels->size(), 1U);
  EXPECT_TRUE(record.lost.empty());
}

TEST(KinetoReader, MemoryEventsAreAllocations) {
  const Record record = read_trace(R"(
      {"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":5.001,
       "args":{"Total Reserved":2097152,"Total Allocated":512,"Bytes":512,"Addr":139637976727552,
               "Device Id":1,"Device Type":1,"Ev Idx":3}},
      {"ph":"i","cat":"cpu_instant_event","s":"t","name":"[memory]","pid":1,"tid":1,"ts":6,
       "args":{"Device Type":0,"Device Id":-1,"Addr":1,"Bytes":-256}})");
  EXPECT_THAT(record.trace->allocations,
              ElementsAre(record::AllocationEvent{5001, 1, 512, 512, 2097152},
                          record::AllocationEvent{6000, -1, -256, -1, -1}));
  EXPECT_TRUE(record.lost.empty());
}

TEST(KinetoReader, CollectivesAreMessages) {
  const Record record =
      read_trace(R"-(
      {"ph":"X","cat":"cpu_op","name":"record_param_comms","pid":1,"tid":1,"ts":1,"dur":2,
       "args":{"External id":11,"Collective name":"allreduce","In msg nelems":1000,
               "Out msg nelems":1000,"Group size":8,"dtype":"Float"}},
      {"ph":"X","cat":"cpu_op","name":"record_param_comms","pid":1,"tid":1,"ts":4,"dur":2},
      {"ph":"X","cat":"user_annotation","name":"nccl:all_reduce","pid":1,"tid":1,"ts":1,"dur":3},
      {"ph":"X","cat":"gpu_user_annotation","name":"nccl:all_reduce","pid":0,"tid":9,"ts":7,
       "dur":3},
      {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernelExC","pid":1,"tid":1,"ts":2,"dur":1,
       "args":{"External id":11,"correlation":55}},
      {"ph":"X","cat":"kernel","name":"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevArgs<1>)",
       "pid":0,"tid":9,"ts":7,"dur":3,"args":{"device":0,"stream":9,"correlation":55,
       "Collective name":"allreduce","In msg nelems":1000,"Out msg nelems":1000,"Group size":8,
       "dtype":"Float"}},
      {"ph":"X","cat":"kernel","name":"ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclWorkElem)",
       "pid":0,"tid":9,"ts":12,"dur":1,"args":{"device":0,"stream":9,"correlation":56}},
      {"ph":"X","cat":"kernel","name":"gemm","pid":0,"tid":7,"ts":12,"dur":1}
      )-",
                 R"("distributedInfo": {"backend": "nccl", "rank": 3, "world_size": 8,
                                "nccl_version": "2.27.5"},)");
  EXPECT_THAT(
      record.trace->communications,
      ElementsAre(
          record::CommunicationEvent{"allreduce", 1000, 2000, 1000, 1000, "Float", 8, false, 11},
          record::CommunicationEvent{"all_reduce", 1000, 3000, -1, -1, "", -1, false, 0},
          record::CommunicationEvent{"allreduce", 7000, 3000, 1000, 1000, "Float", 8, true, 11},
          record::CommunicationEvent{"allgather", 12000, 1000, -1, -1, "", -1, true, 0}));
  EXPECT_EQ(record.kernels->size(), 3U);
  EXPECT_EQ(record.trace->rank, 3);
  EXPECT_EQ(record.trace->world_size, 8);
  EXPECT_EQ(record.trace->backend, "nccl");
  EXPECT_EQ(record.environment.libraries.at("nccl"), "2.27.5");
  EXPECT_EQ(record.kernels->processes[0], "(1), rank 3");
  EXPECT_TRUE(record.lost.empty());
}

TEST(KinetoReader, TheHeadMayStandBehindTheEvents) {
  const Record record = read_kineto_text(
      std::string("\xEF\xBB\xBF{\"traceEvents\": [") + gemm_event +
          R"(], "schemaVersion": 2, "cuda_driver_version": 12060, "unknown": {"a": ["}"]},
          "baseTimeNanoseconds": 1700000000000000000, "displayTimeUnit": "ms",
          "deviceProperties": [{"id": 0, "name": "A"}, {"id": 3, "name": "B \u00b5",
          "totalGlobalMem": 85899345920, "computeMajor": 8, "computeMinor": 0, "numSms": 108}]})",
      "a.json");
  EXPECT_EQ(record.environment.device.name, "B \u00b5");
  EXPECT_EQ(record.environment.device.index, 3);
  EXPECT_EQ(record.environment.device.compute_capability, "8.0");
  EXPECT_EQ(record.environment.device.multiprocessors, 108);
  EXPECT_EQ(record.environment.libraries.at("cuda driver"), "12.6");
  EXPECT_EQ(record.environment.date, "2023-11-14T22:13:20Z");  // `date -u -d @1700000000`
  EXPECT_EQ(record.trace->devices.size(), 2U);
  EXPECT_TRUE(record.lost.empty());
  EXPECT_THAT(record.warnings, ElementsAre(Note{says.trace_schema_unknown, {2}}));
}

TEST(KinetoReader, FieldsComeInAnyOrder) {
  const Record record = read_trace(
      R"({"args": {"stream": 8, "grid": [1, 2, 3]}, "dur": 1, "ts": 2, "tid": 0, "pid": 0,
          "name": "k \"q\" \u003c", "cat": "kernel", "ph": "X"})");
  ASSERT_EQ(record.kernels->size(), 1U);
  EXPECT_EQ(record.kernels->name(0), "k \"q\" <");
  EXPECT_EQ(record.kernels->launch(0).grid, (record::Extent{1, 2, 3}));
  EXPECT_EQ(record.kernels->launch(0).stream, 8);
}

TEST(KinetoReader, UnknownCategoriesAreCounted) {
  const Record record = read_trace(std::string(convolution_event) + R"(,
      {"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":7,"ts":2,"dur":1},
      {"ph":"X","cat":"cuda_sync","name":"Stream Sync","pid":0,"tid":7,"ts":2,"dur":1},
      {"ph":"C","name":"clock","pid":0,"ts":2,"args":{"MHz":1980}},
      {"ph":"X","cat":"cuda_profiler_range","name":"0","pid":0,"tid":0,"ts":1,"dur":1,
       "args":{"smsp__inst_executed.sum": 12}})");
  EXPECT_THAT(record.lost,
              ElementsAre(record::Loss{"counters of kernel ranges (cuda_profiler_range)", 1,
                                       record.lost.at(0).first},
                          record::Loss{"events of the category 'C', which are not used", 1,
                                       record.lost.at(1).first},
                          record::Loss{"events of the category 'cuda_sync', which are not used", 2,
                                       record.lost.at(2).first}));
}

std::string gzipped(const std::string& text) {
  z_stream stream{};
  EXPECT_EQ(
      ::deflateInit2(&stream, Z_BEST_SPEED, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY),
      Z_OK);
  std::string packed(::deflateBound(&stream, text.size()), '\0');
  std::string in = text;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  EXPECT_EQ(::deflate(&stream, Z_FINISH), Z_STREAM_END);
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  return packed;
}

TEST(KinetoReader, GzipOfOneOrMoreMembersIsUnpacked) {
  const std::string text =
      std::string("{\"traceEvents\": [") + convolution_event + "," + gemm_event + "]}";
  const std::string two = gzipped(text.substr(0, 90)) + gzipped(text.substr(90));
  const std::filesystem::path path =
      std::filesystem::path(testing::TempDir()) / "k.pt.trace.json.gz";
  std::ofstream(path, std::ios::binary) << two;
  double done = 0.0;
  const Record record = read_kineto_trace(path, {.progress = [&](double part) { done = part; }});
  EXPECT_EQ(record.trace->ranges.size(), 1U);
  EXPECT_EQ(record.kernels->size(), 1U);
  EXPECT_EQ(record.identity.model, "k");
  EXPECT_TRUE(record.lost.empty());
  EXPECT_EQ(done, 1.0);
  EXPECT_EQ(read_kineto_text(two + std::string(512, '\0'), "k").kernels->size(), 1U);
  std::filesystem::remove(path);
}

TEST(KinetoReader, DamagedGzipGivesWhatItHolds) {
  std::string text = "{\"traceEvents\": [";
  for (int i = 0; i < 20'000; ++i) {
    text += R"({"ph":"X","cat":"cpu_op","name":"n)" + std::to_string(i * 7919) +
            R"(","pid":1,"tid":1,"ts":1,"dur":1},)";
  }
  const std::string packed = gzipped(text + "{}]}");
  const Record cut = read_kineto_text(packed.substr(0, packed.size() / 2), "k");
  EXPECT_GT(cut.trace->ranges.size(), 1000U);
  EXPECT_LT(cut.trace->ranges.size(), 20'000U);
  EXPECT_THAT(cut.warnings,
              testing::Contains(HasValue(says.trace_cut, "the compressed data ends early")));
  std::string wrong = packed;
  for (std::size_t i = wrong.size() / 2; i < wrong.size() / 2 + 400; ++i) wrong[i] = '\x55';
  const Record damaged = read_kineto_text(wrong, "k");
  EXPECT_GT(damaged.trace->ranges.size(), 1000U);
  EXPECT_THAT(damaged.warnings, testing::Contains(HasCode(says.trace_cut)));
}

// ---- the end of a compressed file ---------------------------------------------------------------

std::string short_trace() {
  return std::string("{\"traceEvents\": [") + convolution_event + "," + gemm_event + "]}";
}

void expect_damage(const std::string& packed, std::string_view damage) {
  const Record record = read_kineto_text(packed, "k");
  EXPECT_EQ(record.kernels->size(), 1U);
  EXPECT_THAT(record.warnings,
              testing::Contains(HasValue(says.trace_damaged, std::string(damage))));
  ASSERT_EQ(record.lost.size(), 1U);
  EXPECT_EQ(record.lost[0].what, "damage of the compressed data");
  EXPECT_EQ(record.lost[0].count, 1);
}

// RFC 1952, 2.3.1: CRC32 and the length of the text end a member, four bytes each.
TEST(KinetoReader, TheEndOfACompressedFileIsChecked) {
  const std::string packed = gzipped(short_trace());
  EXPECT_TRUE(read_kineto_text(packed, "k").lost.empty());
  const auto changed = [&packed](std::size_t from_end) {
    std::string wrong = packed;
    wrong[wrong.size() - from_end] ^= 1;
    return wrong;
  };
  expect_damage(changed(8), "the checksum of the compressed data is wrong");
  expect_damage(changed(4), "the length of the compressed data is wrong");
  expect_damage(packed.substr(0, packed.size() - 3), "the compressed data ends early");
  expect_damage(packed + "trash", "other bytes follow the compressed data");
  expect_damage(packed + "\x1f\x8btrash", "the compressed data is damaged");
}

TEST(KinetoReader, BlanksBehindTheTraceAreReadToTheChecksum) {
  std::string packed = gzipped(short_trace() + std::string(std::size_t{3} << 20U, '\n'));
  EXPECT_TRUE(read_kineto_text(packed, "k").lost.empty());
  packed[packed.size() - 8] ^= 1;
  expect_damage(packed, "the checksum of the compressed data is wrong");
}

// deflate makes 1032 blanks of a byte.
TEST(KinetoReader, ATraceThatGrowsTooMuchIsNotReadToItsEnd) {
  const std::string blanks = gzipped(std::string(std::size_t{1} << 24U, ' '));
  std::string packed = gzipped(short_trace());
  for (int i = 0; i < 6; ++i) packed += blanks;
  expect_damage(packed, "it grows more than 100-fold when unpacked: gunzip it to read all of it");
}

// The profiler writes 0 where it has no answer; a kernel that runs has a warp and a register.
TEST(KinetoReader, ZerosOfAKernelThatRanAreUnknown) {
  const auto kernel = [](int occupancy, int registers, double time_us) {
    return format(R"({{"ph":"X","cat":"kernel","name":"k","pid":0,"tid":7,"ts":{},"dur":{},
        "args":{{"device":0,"stream":7,"blocks per SM":1.0,"registers per thread":{},
        "est. achieved occupancy %":{}}}}})",
                  occupancy, time_us, registers, occupancy);
  };
  const Record record =
      read_trace(kernel(0, 32, 5.0) + "," + kernel(40, 0, 5.0) + "," + kernel(0, 32, 0.0));
  const record::KernelTable& kernels = *record.kernels;
  EXPECT_EQ(kernels.at(KernelFigure::occupancy, 0), std::nullopt);
  EXPECT_EQ(kernels.at(KernelFigure::occupancy, 1), 0.4);
  EXPECT_EQ(kernels.at(KernelFigure::occupancy, 2), 0.0);  // it took no time
  EXPECT_EQ(kernels.at(KernelFigure::registers_per_thread, 1), std::nullopt);
  EXPECT_THAT(record.warnings, ElementsAre(HasValue(record::says.never_zero, "occupancy"),
                                           HasCode(record::says.never_zero)));
  EXPECT_THAT(record.warnings[0].text(), testing::HasSubstr("1 of 3 launches have 0"));
  EXPECT_TRUE(record.lost.empty());
}

TEST(KinetoReader, WhatRanIsNotKnownOfATraceAlone) {
  const Record record = read_trace(gemm_event);
  EXPECT_EQ(record.identity.batch.known(), std::nullopt);
  EXPECT_EQ(record.identity.phase.known(), std::nullopt);
  EXPECT_EQ(record.identity.precision.known(), std::nullopt);
  EXPECT_EQ(record.identity.data.known(), std::nullopt);
  EXPECT_EQ(record.identity.channels_last.known(), std::nullopt);
}

}  // namespace
}  // namespace rooflab::import
