#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "../../base/thrown_error.hpp"
#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/import/readers.hpp"

namespace rooflab::import {
namespace {

using record::KernelFigure;
using record::Record;
using testing::HasSubstr;
using testing::IsEmpty;

Record table_record(const std::string& text) { return read_nsys_csv_text(text, "run.csv"); }

Error table_error(const std::string& text) {
  return thrown_error(ErrorKind::input, [&] { return table_record(text); });
}

TEST(GpuTraceCsv, ReadsTheSampleBehindTheTextOfNsys) {
  const Record record = read_nsys_csv(ROOFLAB_SOURCE_DIR "/tests/data/import/nsys/gpu_trace.csv");
  const record::KernelTable& kernels = *record.kernels;
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels.name(0), "void stencil<float, (int)7>(float const*, float*, int)");
  EXPECT_EQ(kernels.launch(0).start_ns, 10'150'000);
  EXPECT_EQ(kernels.launch(0).launch, 11);
  EXPECT_EQ(kernels.launch(0).stream, 7);
  EXPECT_EQ(kernels.launch(0).grid, (record::Extent{54, 4, 1}));
  EXPECT_EQ(kernels.launch(0).block, (record::Extent{128, 1, 1}));
  EXPECT_DOUBLE_EQ(*kernels.at(KernelFigure::time_s, 0), 300e-6);
  EXPECT_EQ(kernels.at(KernelFigure::registers_per_thread, 1), 16.0);
  // 0.001 MB and 0.000 MB: a sum with a part that was rounded away is unknown.
  EXPECT_EQ(kernels.at(KernelFigure::shared_memory_bytes, 0), std::nullopt);
  const record::Trace& trace = *record.trace;
  ASSERT_EQ(trace.copies.size(), 3U);
  EXPECT_EQ(trace.copy_names[trace.copies[0].name], "Memset (Device)");
  EXPECT_EQ(trace.copy_names[trace.copies[1].name], "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(trace.copies[1].bytes, 1'049'000);
  EXPECT_EQ(trace.copies[2].bytes, -1);  // 0.000 MB is not 0 bytes
  EXPECT_EQ(record.environment.device.name, "NVIDIA A100-SXM4-80GB");
  EXPECT_THAT(record.lost, IsEmpty());
}

TEST(GpuTraceCsv, UnitsAreThoseOfTheHeads) {
  const auto time = [](const std::string& unit) {
    const Record record = table_record(format("Start ({0}),Duration ({0}),Name\n2,3,k\n", unit));
    EXPECT_EQ(record.kernels->launch(0).start_ns.value() * 3,
              std::llround(*record.kernels->at(KernelFigure::time_s, 0) * 1e9) * 2);
    return *record.kernels->at(KernelFigure::time_s, 0);
  };
  EXPECT_DOUBLE_EQ(time("ns"), 3e-9);
  EXPECT_DOUBLE_EQ(time("us"), 3e-6);
  EXPECT_DOUBLE_EQ(time("msec"), 3e-3);
  EXPECT_DOUBLE_EQ(time("s"), 3.0);
  const auto memory = [](const std::string& unit, const std::string& value) {
    return table_record(format("Start (ns),Duration (ns),StcSMem ({0}),DymSMem ({0}),Name\n"
                               "2,3,{1},{1},k\n",
                               unit, value))
        .kernels->at(KernelFigure::shared_memory_bytes, 0);
  };
  EXPECT_EQ(memory("B", "512"), 1024.0);
  EXPECT_EQ(memory("bytes", "0"), 0.0);
  EXPECT_EQ(memory("KB", "1.5"), 3000.0);
  EXPECT_EQ(memory("KiB", "1.5"), 3072.0);
  EXPECT_EQ(memory("MB", "0.000"), std::nullopt);
  EXPECT_EQ(memory("furlongs", "1"), std::nullopt);
}

TEST(GpuTraceCsv, OtherReportsBeforeAndBehindTheTableArePassedOver) {
  const Record record = table_record(
      "Time (%),Total Time (ns),Instances,Name\n50.0,5,1,k\n\n"
      "Start (ns),Duration (ns),Name\n1,2,k\n\n"
      "Time (%),Total Time (ns),Num Calls,Name\n50.0,5,1,cudaMalloc\n");
  EXPECT_EQ(record.kernels->size(), 1U);
  EXPECT_THAT(record.lost, IsEmpty());
}

TEST(GpuTraceCsv, BrokenLinesAreCountedWithTheirLine) {
  const Record record = table_record(
      "Start (ns),Duration (ns),CorrId,Strm,Name\r\n"
      "1,2,3,7,k\r\n"
      "1,2,3,7\r\n"
      "soon,2,3,7,k\r\n"
      "1,-2,3,7,k\r\n"
      "1,2,99999999999999999999,7,k\r\n"
      "1,2,3,7,\r\n"
      "5,6,7,8,\"a \"\"quoted\"\" name, with a comma\"\r\n"
      "5,6,7,8,\"never closed\r\n");
  ASSERT_EQ(record.kernels->size(), 3U);
  EXPECT_EQ(record.kernels->name(2), "a \"quoted\" name, with a comma");
  EXPECT_EQ(record.kernels->launch(1).launch, 0);
  std::string told;
  for (const record::Loss& loss : record.lost) {
    told += format("{} {} {}\n", loss.count, loss.what, loss.first);
  }
  EXPECT_EQ(told,
            "1 rows with more or fewer fields than the header line 3\n"
            "2 lines that are not rows of the table line 4\n"
            "1 rows without a start or duration that is a number line 5\n"
            "1 values that are not whole numbers, or out of their range line 6\n"
            "1 rows without a name line 7\n");
}

TEST(GpuTraceCsv, WhatIsNoTableOrHasNoKernelsIsAnError) {
  EXPECT_THAT(table_error("epoch 1\nepoch 2\n").what(), HasSubstr("not CSV of Nsight Systems"));
  EXPECT_THAT(table_error("").what(), HasSubstr("not CSV of Nsight Systems"));
  EXPECT_THAT(table_error("Time (%),Total Time (ns),Instances,Name\n50.0,5,1,k\n").what(),
              HasSubstr("sums of nsys stats"));
  const Error error = table_error("Start (ns),Duration (ns),Name\n1,2,[CUDA memset]\n");
  EXPECT_THAT(error.what(), HasSubstr("no GPU kernels: was --trace=cuda on?"));
  EXPECT_EQ(error.location().file, "run.csv");
}

// A row is known by start, duration, device, stream and correlation.
TEST(GpuTraceCsv, ARowThatIsThereTwiceCountsOnce) {
  const std::string head = "Start (ns),Duration (ns),CorrId,Device,Strm,Name\n";
  const std::string rows =
      "100,50,1,H200 (0),7,k\n"
      "100,50,2,H200 (0),8,k\n"   // another stream
      "100,50,1,H200 (1),7,k\n"   // another device
      "200,50,3,H200 (0),7,k\n";  // another call
  const Record once = table_record(head + rows);
  EXPECT_EQ(once.kernels->size(), 4U);
  EXPECT_THAT(once.lost, IsEmpty());
  const Record twice = table_record(head + rows + "\n" + head + rows);
  EXPECT_EQ(twice.kernels->size(), 4U);
  ASSERT_EQ(twice.lost.size(), 1U);
  EXPECT_EQ(twice.lost[0].what, "rows that the file has twice, counted once");
  EXPECT_EQ(twice.lost[0].count, 4);
  EXPECT_EQ(twice.lost[0].first, "line 8");
  const std::string copy = "300,10,4,H200 (0),7,[CUDA memcpy Host-to-Device]\n";
  EXPECT_EQ(table_record(head + rows + copy + copy).trace->copies.size(), 1U);
}

TEST(GpuTraceCsv, RoundedTimesAloneDoNotMakeTwoRowsOne) {
  const std::string rows = "1.00,0.01,7,a\n1.00,0.01,7,b\n";
  EXPECT_EQ(table_record("Start (ms),Duration (ms),Strm,Name\n" + rows).kernels->size(), 2U);
  const std::string exact = "1000,10,7,a\n1000,10,7,a\n";
  EXPECT_EQ(table_record("Start (ns),Duration (ns),Strm,Name\n" + exact).kernels->size(), 1U);
}

TEST(GpuTraceCsv, ZeroBlocksOrRegistersAreUnknown) {
  const Record record = table_record(
      "Start (ns),Duration (ns),GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,Name\n"
      "100,50,4,1,1,0,1,1,0,k\n");
  EXPECT_EQ(record.kernels->launch(0).block, record::Extent{});
  EXPECT_EQ(record.kernels->launch(0).grid, (record::Extent{4, 1, 1}));
  EXPECT_EQ(record.kernels->at(KernelFigure::registers_per_thread, 0), std::nullopt);
}

}  // namespace
}  // namespace rooflab::import
