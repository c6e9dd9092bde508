#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "../../base/note_matchers.hpp"
#include "../../base/thrown_error.hpp"
#include "export_file.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/import/readers.hpp"

namespace rooflab::import {
namespace {

using record::KernelFigure;
using record::Loss;
using record::RangeKind;
using record::Record;
using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::HasSubstr;
using testing::IsEmpty;

Record record_of(const std::string& sql) { return read_nsys_export(ExportFile(sql).path()); }

auto loss(const std::string& what, std::int64_t count, const std::string& first) {
  return AllOf(Field(&Loss::what, what), Field(&Loss::count, count), Field(&Loss::first, first));
}

Error export_error(const std::string& sql) {
  const ExportFile file(sql);
  return thrown_error(ErrorKind::input, [&] { return read_nsys_export(file.path()); });
}

// The figures are those of the comments in the sample.
TEST(NsysReader, ReadsKernels) {
  const Record record = record_of(sample_sql());
  const record::KernelTable& kernels = *record.kernels;
  ASSERT_EQ(kernels.size(), 6U);
  EXPECT_EQ(kernels.name(0), "void stencil<float, (int)7>(float const*, float*, int)");
  EXPECT_EQ(kernels.name(3), "reduce_sum(float const*, float*)");
  EXPECT_EQ(kernels.process(0), "solver (4711 on babbage)");
  const record::KernelLaunch& launch = kernels.launch(0);
  EXPECT_EQ(launch.start_ns, 10'150'000);
  EXPECT_EQ(launch.launch, 11);
  EXPECT_EQ(launch.device, 0);
  EXPECT_EQ(launch.stream, 7);
  EXPECT_EQ(launch.grid, (record::Extent{54, 4, 1}));
  EXPECT_EQ(launch.block, (record::Extent{128, 1, 1}));
  EXPECT_EQ(kernels.at(KernelFigure::time_s, 0), 300e-6);
  EXPECT_EQ(kernels.at(KernelFigure::registers_per_thread, 0), 40.0);
  EXPECT_EQ(kernels.at(KernelFigure::shared_memory_bytes, 0), 1024.0);
  EXPECT_EQ(kernels.at(KernelFigure::shared_memory_bytes, 3), 2048.0);
  // 54 x 4 blocks of 4 warps on 108 multiprocessors.
  EXPECT_EQ(kernels.at(KernelFigure::blocks_per_sm, 0), 2.0);
  EXPECT_EQ(kernels.at(KernelFigure::warps_per_sm, 0), 8.0);
  EXPECT_THAT(record.lost, IsEmpty());
  EXPECT_THAT(record.warnings, IsEmpty());
}

TEST(NsysReader, ReadsCopiesAndFills) {
  const Record record = record_of(sample_sql());
  const record::Trace& trace = *record.trace;
  ASSERT_EQ(trace.copies.size(), 7U);
  const record::CopyEvent& copy = trace.copies[0];
  EXPECT_EQ(copy.kind, record::CopyKind::memcpy);
  EXPECT_EQ(trace.copy_names[copy.name], "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(copy.start_ns, 10'030'000);
  EXPECT_EQ(copy.duration_ns, 100'000);
  EXPECT_EQ(copy.bytes, 1048576);
  EXPECT_EQ(copy.correlation, 10);
  EXPECT_EQ(trace.copy_names[trace.copies[3].name], "Memcpy DtoH (Device -> Pinned)");
  EXPECT_EQ(trace.copies[6].kind, record::CopyKind::memset);
  EXPECT_EQ(trace.copy_names[trace.copies[6].name], "Memset (Device)");
  EXPECT_EQ(trace.copies[6].bytes, 4194304);
}

TEST(NsysReader, ReadsCallsAndRanges) {
  const Record record = record_of(sample_sql());
  const record::RangeTable& ranges = record.trace->ranges;
  // 16 calls and 4 ranges, without the mark.
  ASSERT_EQ(ranges.size(), 20U);
  EXPECT_EQ(ranges.names[ranges.name[0]], "cudaMalloc");
  EXPECT_EQ(ranges.threads[ranges.thread[0]], "4711/4711");
  const auto launches = std::ranges::count_if(ranges.name, [&](record::NameTable::Id id) {
    return ranges.names[id] == "cudaLaunchKernel";
  });
  EXPECT_EQ(launches, 6);
  EXPECT_EQ(ranges.kind[16], RangeKind::annotation);
  EXPECT_EQ(ranges.names[ranges.name[16]], "set-up");
  EXPECT_EQ(ranges.names[ranges.name[17]], "step 0");
  EXPECT_EQ(ranges.start_ns[17], 10'000'000);
  EXPECT_EQ(ranges.duration_ns[17], 1'000'000);
}

TEST(NsysReader, ReadsMachineAndSession) {
  const Record record = record_of(sample_sql());
  EXPECT_EQ(record.trace->profiler, "Nsight Systems");
  EXPECT_EQ(record.identity.model, "run");
  EXPECT_EQ(record.identity.device, "cuda:0");
  EXPECT_EQ(record.identity.command, "/home/ada/heat/solver --grid '512 x 512'");
  // The program's cuda:0 is the second GPU of the machine.
  const record::DeviceIdentity& device = record.environment.device;
  EXPECT_EQ(device.name, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(device.uuid, "1bdee8b4-22ac-536c-208b-bfb4ed38b878");
  EXPECT_EQ(device.compute_capability, "8.0");
  EXPECT_EQ(device.multiprocessors, 108);
  EXPECT_EQ(device.memory, Bytes(85899345920));
  ASSERT_EQ(record.trace->devices.size(), 1U);
  EXPECT_EQ(record.trace->devices[0].max_threads_per_multiprocessor, 2048);
  EXPECT_EQ(record.environment.host, "Debian GNU/Linux 12 6.1.0");
  EXPECT_EQ(record.environment.logical_cpus, 64);
  EXPECT_EQ(record.environment.date, "2023-11-14T22:13:20Z");
  EXPECT_EQ(record.trace->base_ns, 1'700'000'000'000'000'000);
  EXPECT_THAT(
      record.environment.libraries,
      ElementsAre(std::pair("cuda driver", "12.4"), std::pair("nsight systems", "2024.7.1.84"),
                  std::pair("nsight systems schema", "3.15.1")));
}

TEST(NsysReader, WhatIsMissingIsUnknown) {
  const Record record = record_of(small_sql());
  ASSERT_EQ(record.kernels->size(), 1U);
  EXPECT_EQ(record.kernels->name(0), "axpy");
  EXPECT_EQ(record.kernels->at(KernelFigure::time_s, 0), 2e-6);
  EXPECT_FALSE(record.kernels->has(KernelFigure::registers_per_thread));
  EXPECT_FALSE(record.kernels->has(KernelFigure::shared_memory_bytes));
  EXPECT_FALSE(record.kernels->has(KernelFigure::blocks_per_sm));
  EXPECT_EQ(record.kernels->launch(0).launch, 0);
  EXPECT_EQ(record.environment.date, "");
  EXPECT_EQ(record.environment.device.name, "");
  EXPECT_THAT(record.warnings, ElementsAre(Says("the trace has no CUDA calls")));
  EXPECT_THAT(record.lost, IsEmpty());
}

TEST(NsysReader, ReadsTheOlderTableOfGpus) {
  const Record record = record_of(small_sql(
      "CREATE TABLE TARGET_INFO_CUDA_GPU (deviceId, name, computeCapabilityMajor,"
      " computeCapabilityMinor, numMultiprocessors, numThreadsPerWarp, maxWarpsPerMultiprocessor);"
      "INSERT INTO TARGET_INFO_CUDA_GPU VALUES (0, 'Tesla V100', 7, 0, 80, 32, 64);"));
  EXPECT_EQ(record.environment.device.name, "Tesla V100");
  EXPECT_EQ(record.environment.device.compute_capability, "7.0");
  EXPECT_EQ(record.environment.device.multiprocessors, 80);
}

TEST(NsysReader, CountsWhatItCannotRead) {
  const Record record = record_of(
      "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value);"
      "INSERT INTO StringIds VALUES (1, 'axpy');"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, demangledName, gridX, gridY, gridZ,"
      " streamId);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 3000, 1, 4294967296, 1, 1, 7),"
      " ('soon', 5000, 1, 1, 1, 1, 7), (6000, 5000, 1, 1, 1, 1, 'a'), (0, 0, 1, 1, 1, 1, 7),"
      " (7000, 9223372036854775807, 99, 1, 1, 1, 7);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, bytes, copyKind);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (1, NULL, 8, 1), (1, 2, -8, 77);");
  ASSERT_EQ(record.kernels->size(), 5U);
  EXPECT_EQ(record.kernels->launch(0).grid, record::Extent{});
  EXPECT_EQ(record.kernels->launch(1).start_ns, std::nullopt);
  EXPECT_EQ(record.kernels->count(KernelFigure::time_s), 1U);
  ASSERT_EQ(record.trace->copies.size(), 1U);
  EXPECT_EQ(record.trace->copies[0].bytes, -1);
  EXPECT_EQ(record.trace->copy_names[0], "Memcpy");
  EXPECT_THAT(
      record.lost,
      testing::UnorderedElementsAre(
          loss("values out of their range", 3, "row 1 of CUPTI_ACTIVITY_KIND_KERNEL"),
          loss("values that are not whole numbers", 2, "row 2 of CUPTI_ACTIVITY_KIND_KERNEL"),
          loss("events that end before they begin", 1, "row 3 of CUPTI_ACTIVITY_KIND_KERNEL"),
          loss("events whose time was not recorded", 1, "row 4 of CUPTI_ACTIVITY_KIND_KERNEL"),
          loss("kernels without a name", 1, "row 5 of CUPTI_ACTIVITY_KIND_KERNEL"),
          loss("copies and fills without a place in time", 1,
               "row 1 of CUPTI_ACTIVITY_KIND_MEMCPY")));
}

TEST(NsysReader, TextsAreMadeValid) {
  const Record record = record_of(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, shortName);"
      "CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value);"
      "INSERT INTO StringIds VALUES (1, CAST(x'61ff62' AS TEXT));"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1000, 3000, 1);");
  EXPECT_EQ(record.kernels->name(0),
            "a\xef\xbf\xbd"
            "b");
}

TEST(NsysReader, ProcessesHaveNumbersOfTheirOwn) {
  // Both call their only GPU 0, and count their launches from 1.
  const Record record = record_of(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end, correlationId, globalPid, deviceId);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (1, 2, 1, 10 << 24, 0), (1, 2, 1, 11 << 24, "
      "0);"
      "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, correlationId, globalTid, nameId);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (0, 1, 1, (11 << 24) + 5, 1);"
      "CREATE TABLE TARGET_INFO_GPU (id, name, smCount);"
      "INSERT INTO TARGET_INFO_GPU VALUES (0, 'A', 10), (1, 'B', 20);"
      "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId, cudaId, pid);"
      "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 10), (1, 0, 11);");
  EXPECT_EQ(record.kernels->launch(0).device, 0);
  EXPECT_EQ(record.kernels->launch(1).device, 1);
  EXPECT_EQ(record.kernels->launch(0).launch, 1);
  EXPECT_NE(record.kernels->launch(1).launch, 1);
  EXPECT_EQ(record.trace->ranges.correlation[0], record.kernels->launch(1).launch);
  EXPECT_NE(record.kernels->process(0), record.kernels->process(1));
}

TEST(NsysReader, ARunOfAGraphIsARowAndSaysSo) {
  const Record record = record_of(
      "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start, end, deviceId, streamId, graphId);"
      "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (1000, 9000, 0, 7, 3);");
  ASSERT_EQ(record.kernels->size(), 1U);
  EXPECT_EQ(record.kernels->name(0), "(CUDA graph 3)");
  EXPECT_EQ(record.kernels->at(KernelFigure::time_s, 0), 8e-6);
  ASSERT_FALSE(record.warnings.empty());
  EXPECT_THAT(record.warnings[0].text(), HasSubstr("1 run of a CUDA graph"));
}

TEST(NsysReader, WithoutKernelsItIsAnError) {
  const Error error = export_error("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value);");
  EXPECT_STREQ(error.what(), "the export holds no GPU kernels: was --trace=cuda on?");
  EXPECT_THAT(error.location().file, HasSubstr("run.sqlite"));
  EXPECT_THAT(export_error("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start, end);").what(),
              HasSubstr("no GPU kernels"));
}

TEST(NsysReader, AnotherDatabaseIsAnError) {
  EXPECT_STREQ(export_error("CREATE TABLE notes (id, text);").what(),
               "this is an SQLite database, but not an export of Nsight Systems");
}

// A view could compute for ever.
TEST(NsysReader, ViewsAreNotRead) {
  EXPECT_THAT(export_error("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value);"
                           "CREATE VIEW CUPTI_ACTIVITY_KIND_KERNEL AS WITH RECURSIVE n(i) AS"
                           " (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS start, i AS end,"
                           " 1 AS shortName FROM n;")
                  .what(),
              HasSubstr("no GPU kernels"));
}

TEST(NsysReader, ATruncatedFileIsAnErrorWherever) {
  const ExportFile file(sample_sql());
  const std::string bytes = file.bytes();
  ASSERT_GT(bytes.size(), 40'000U);
  for (std::size_t size = 16; size < bytes.size(); size += 997) {
    file.write(bytes.substr(0, size));
    const Error error =
        thrown_error(ErrorKind::input, [&] { return read_nsys_export(file.path()); });
    EXPECT_THAT(error.location().file, HasSubstr("run.sqlite")) << size;
    EXPECT_THAT(error.hint(), HasSubstr("nsys export")) << size;
  }
}

TEST(NsysReader, DamageIsAnErrorOrCounted) {
  const ExportFile file(sample_sql());
  const std::string bytes = file.bytes();
  std::size_t errors = 0;
  for (std::size_t place = 100; place < bytes.size(); place += 211) {
    std::string damaged = bytes;
    for (std::size_t i = place; i < std::min(place + 64, bytes.size()); ++i) damaged[i] = '\xff';
    file.write(damaged);
    try {
      EXPECT_GT(read_nsys_export(file.path()).kernels->size(), 0U);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      ++errors;
    }
  }
  EXPECT_GT(errors, 0U);
}

TEST(NsysReader, FilesWithOddNamesAreFound) {
  const ExportFile file(small_sql());
  const std::filesystem::path odd = file.path().parent_path() / "a b?c#d%20.sqlite";
  std::filesystem::copy_file(file.path(), odd);
  EXPECT_EQ(read_nsys_export(odd).kernels->size(), 1U);
}

TEST(NsysReader, AReportNamesTheCommandThatConvertsIt) {
  const Error error = thrown_error(ErrorKind::input, [] {
    read_nsys_report("runs/my run.nsys-rep");
    return 0;
  });
  EXPECT_THAT(error.what(), HasSubstr("report of Nsight Systems"));
  EXPECT_EQ(error.hint(),
            "nsys export --type sqlite 'runs/my run.nsys-rep' writes 'my run.sqlite', which rooflab"
            " import reads");
}

}  // namespace
}  // namespace rooflab::import
