#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../../base/thrown_error.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/import/readers.hpp"
#include "rooflab/record/kernel_sums.hpp"

namespace rooflab::import {
namespace {

using record::KernelFigure;
using record::Record;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string nvprof_data = ROOFLAB_SOURCE_DIR "/tests/data/import/nvprof/";
const std::string trace_head =
    R"("Start","Duration","Grid X","Grid Y","Grid Z","Device","Stream","Size","Name")"
    "\nus,us,,,,,,KB,\n";
const std::string summary_head = R"x("Type","Time(%)","Time","Calls","Avg","Min","Max","Name")x"
                                 "\n,%,ms,,us,us,us,\n";
const std::string kernel_row = "10,5,1,1,1,\"K40 (0)\",\"7\",,\"k(int) [3]\"\n";

Record read(const std::string& text) { return read_nvprof_text(text, "run.csv"); }

Error error_in(const std::string& text) {
  return thrown_error(ErrorKind::input, [&] { return read(text); });
}

std::vector<std::string> codes_of(const Record& record) {
  std::vector<std::string> codes;
  for (const Note& note : record.warnings) codes.emplace_back(note.code.name());
  return codes;
}

TEST(Nvprof, ReadsAGpuTraceOfTwoDevices) {
  const Record record = read_nvprof(nvprof_data + "gpu_trace.csv");
  EXPECT_EQ(record.trace->profiler, "nvprof");
  EXPECT_EQ(record.identity.command, "./solver 64");
  EXPECT_EQ(record.identity.model, "gpu_trace");
  EXPECT_EQ(record.environment.device.name, "Tesla V100-SXM2-16GB");
  EXPECT_EQ(record.trace->devices.size(), 2U);
  const record::KernelTable& kernels = *record.kernels;
  ASSERT_EQ(kernels.size(), 2U);
  EXPECT_EQ(kernels.name(0), "void relax<float, int=4>(float*, float const *, int)");
  EXPECT_EQ(kernels.launch(0).start_ns, 100'400'000);
  EXPECT_EQ(kernels.launch(0).launch, 131);
  EXPECT_EQ(kernels.launch(0).stream, 7);
  EXPECT_EQ(kernels.launch(0).grid, (record::Extent{64, 2, 1}));
  EXPECT_EQ(kernels.launch(0).block, (record::Extent{256, 1, 1}));
  EXPECT_DOUBLE_EQ(*kernels.at(KernelFigure::time_s, 0), 250e-6);
  EXPECT_EQ(kernels.at(KernelFigure::registers_per_thread, 0), 32.0);
  EXPECT_EQ(kernels.at(KernelFigure::shared_memory_bytes, 0), 3584.0);  // 1024 B and 2.5 * 1024 B
  EXPECT_EQ(kernels.launch(1).device, 1);
  EXPECT_EQ(kernels.launch(1).stream, 14);
  EXPECT_EQ(kernels.at(KernelFigure::shared_memory_bytes, 1), 0.0);
  const std::vector<record::CopyEvent>& copies = record.trace->copies;
  ASSERT_EQ(copies.size(), 3U);
  EXPECT_EQ(record.trace->copy_names[copies[0].name], "Memcpy HtoD (Pageable -> Device)");
  EXPECT_EQ(copies[0].bytes, 1'048'576);
  EXPECT_EQ(record.trace->copy_names[copies[1].name], "Memcpy DtoH (Device -> Pinned)");
  EXPECT_EQ(copies[1].bytes, 256);  // 0.000244 of 1024 * 1024 bytes: 255.85
  EXPECT_EQ(copies[2].kind, record::CopyKind::memset);
  EXPECT_EQ(copies[2].bytes, 524'288);
  EXPECT_THAT(record.lost, IsEmpty());
  EXPECT_THAT(codes_of(record), ElementsAre("calls_not_recorded", "nvprof_warned"));
}

TEST(Nvprof, ReadsASummaryAsSumsOfLaunches) {
  const Record record = read_nvprof(nvprof_data + "summary.csv");
  EXPECT_FALSE(record.trace);
  ASSERT_EQ(record.kernels->size(), 2U);
  EXPECT_EQ(record.kernels->process(0), "418");
  const record::KernelSums all = record::sums_of(*record.kernels, false);
  EXPECT_EQ(all.launches, 16U);  // 12 and 4
  EXPECT_DOUBLE_EQ(*all.at(KernelFigure::time_s), 3.8e-3);
  EXPECT_DOUBLE_EQ(*all.shortest_s, 150e-6);
  EXPECT_DOUBLE_EQ(*all.longest_s, 320e-6);
  EXPECT_TRUE(all.has_all(KernelFigure::time_s));
  EXPECT_THAT(record.lost, IsEmpty());
  EXPECT_THAT(codes_of(record), ElementsAre("sums_of_launches", "sums_of_copies", "sums_of_calls"));
  EXPECT_EQ(record.warnings[1].text(),
            "2 copies and fills of memory take 200 us, most of it [CUDA memcpy HtoD]: no table has"
            " them");
  EXPECT_EQ(record.warnings[2].text(),
            "19 calls of CUDA take 200 ms, most of it cudaMalloc: no table has them");
}

// Before CUDA 8 the column of types is missing: nvprof's lines tell calls from work.
TEST(Nvprof, ReadsSummariesOfOldVersions) {
  const Record record = read_nvprof(ROOFLAB_SOURCE_DIR "/fuzz/seeds/nvprof_reader/old.csv");
  ASSERT_EQ(record.kernels->size(), 1U);
  EXPECT_EQ(record.kernels->name(0), "scale(float*)");
  EXPECT_EQ(record.kernels->summed(0)->launches, 2);
  EXPECT_EQ(record.warnings[2].text(),
            "1 call of CUDA takes 7 ms, most of it cudaMalloc: no table has them");
  EXPECT_EQ(record.warnings[3].text(), "nvprof: Error: Application returned non-zero code 1");
}

TEST(Nvprof, TheTraceCountsWhereTheFileHasBothTables) {
  const std::string sums = summary_head + "\"GPU activities\",50,1,2,500,400,600,\"k(int)\"\n" +
                           "\"API calls\",50,1,2,500,400,600,\"cudaFree\"\n";
  for (const std::string& text :
       {trace_head + kernel_row + "\n" + sums, sums + "\n" + trace_head + kernel_row}) {
    const Record record = read(text);
    ASSERT_EQ(record.kernels->size(), 1U);
    EXPECT_DOUBLE_EQ(*record.kernels->at(KernelFigure::time_s, 0), 5e-6);
    EXPECT_EQ(record.kernels->launch(0).launch, 3);
    EXPECT_THAT(codes_of(record), ElementsAre("calls_not_recorded", "sums_of_calls"));
  }
}

TEST(Nvprof, UnitsAreThoseOfTheRowBelowTheHeader) {
  const auto time_s = [](const std::string& unit) {
    const std::string text = "\"Start\",\"Duration\",\"Device\",\"Name\"\n" + unit + "," + unit +
                             ",,\n2,3,\"K40 (0)\",\"k\"\n";
    return *read(text).kernels->at(KernelFigure::time_s, 0);
  };
  EXPECT_DOUBLE_EQ(time_s("s"), 3.0);
  EXPECT_DOUBLE_EQ(time_s("ms"), 3e-3);
  EXPECT_DOUBLE_EQ(time_s("us"), 3e-6);
  EXPECT_DOUBLE_EQ(time_s("ns"), 3e-9);
  const Record kb = read(trace_head + kernel_row + "1,1,,,,\"K40 (0)\",7,2.5,\"[CUDA memset]\"\n");
  EXPECT_EQ(kb.trace->copies[0].bytes, 2560);
}

TEST(Nvprof, TheNumberOfTheCallMayHaveItsColumn) {
  const Record record = read(
      "\"Start\",\"Duration\",\"Device\",\"Name\",\"Correlation_ID\"\nus,us,,,\n"
      "1,2,\"K40 (0)\",\"void k<int [2]>(int)\",77\n");
  EXPECT_EQ(record.kernels->launch(0).launch, 77);
  EXPECT_EQ(record.kernels->name(0), "void k<int [2]>(int)");
}

TEST(Nvprof, WhatIsNotReadIsCountedWithItsLine) {
  const Record record = read(trace_head + kernel_row +
                             "20,5,1,1,1,\"K40 (0)\",\"7\",\n"  // line 4 is too short
                             "30,5,,,,,,,\"cudaMalloc\"\n"
                             "40,5,,,,\"K40 (0)\",,,\"[Unified Memory GPU page faults]\"\n"
                             "soon,5,1,1,1,\"K40 (0)\",\"7\",,\"k(int) [4]\"\n"
                             "50,5,1,1,1,\"K40 (0)\",\"7\",,\"cut off he");
  ASSERT_EQ(record.kernels->size(), 1U);
  std::vector<std::string> lost;
  for (const record::Loss& loss : record.lost) lost.push_back(loss.what + ", " + loss.first);
  EXPECT_THAT(lost, ElementsAre("rows with more or fewer fields than the header, line 4",
                                "rows of calls of CUDA, not read, line 5",
                                "events of unified memory, not read, line 6",
                                "rows without a start or duration that is a number, line 7",
                                "lines that are not rows of the table, line 8"));
}

TEST(Nvprof, SumsThatCannotBeAreLost) {
  const auto lost = [](const std::string& row) {
    return read(summary_head + "\"GPU activities\",1,1,2,500,400,600,\"k\"\n" + row).lost.size();
  };
  EXPECT_EQ(lost("\"GPU activities\",1,1,0,500,400,600,\"k\"\n"), 1U);   // no calls
  EXPECT_EQ(lost("\"GPU activities\",1,1,2,500,700,600,\"k\"\n"), 1U);   // shortest above longest
  EXPECT_EQ(lost("\"GPU activities\",1,-1,2,500,400,600,\"k\"\n"), 1U);  // negative
  EXPECT_EQ(lost("\"GPU activities\",1,1,9e99,500,400,600,\"k\"\n"), 1U);
  EXPECT_EQ(lost("\"OpenACC (excl)\",1,1,2,500,400,600,\"k\"\n"), 1U);
  EXPECT_EQ(lost("\"GPU activities\",1,1,2,500,400,600,\"k\"\n"), 0U);
  EXPECT_EQ(lost("No API activities were profiled.\n"), 0U);
  EXPECT_EQ(
      lost("==5== NVTX result:\n" + summary_head + "\"GPU activities\",1,1,2,500,400,600,\"k\"\n"),
      1U);
}

// The shortest and the longest are one launch of 1.12 us, in two units.
TEST(Nvprof, EachColumnHasItsUnit) {
  const Record record = read(
      "\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n,%,ms,,us,us,ms,\n"
      "\"GPU activities\",1,0.001120,1,1.120000,1.120000,0.001120,\"k\"\n");
  EXPECT_THAT(record.lost, IsEmpty());
  EXPECT_DOUBLE_EQ(record.kernels->summed(0)->shortest_s, 1.12e-6);
  EXPECT_DOUBLE_EQ(record.kernels->summed(0)->longest_s, 1.12e-6);
}

TEST(Nvprof, ErrorsNameTheLine) {
  const Error lacks = error_in("text\n\"Type\",\"Time(%)\",\"Time\",\"Calls\",\"Name\"\n,%,ms,,\n");
  EXPECT_STREQ(lacks.what(), "the table of nvprof lacks the column 'min'");
  EXPECT_EQ(lacks.location().to_string(), "run.csv:3");
  EXPECT_THAT(lacks.hint(), HasSubstr("--print-gpu-trace --csv"));
  const Error unit = error_in("\"Start\",\"Duration\",\"Device\",\"Name\"\nh,us,,\n");
  EXPECT_STREQ(unit.what(), "the unit 'h' of the column 'start' is not one of time");
  EXPECT_EQ(unit.location().to_string(), "run.csv:2");
  EXPECT_STREQ(error_in("\"Start\",\"Duration\",\"Device\",\"Name\"\n").what(),
               "the row of units that follows the header is missing or has other columns");
  const std::string table = trace_head + kernel_row;
  const Error second =
      error_in("==1== Profiling result:\n" + table + "==2== Profiling result:\n" + table);
  EXPECT_THAT(second.what(), HasSubstr("a second GPU trace begins here"));
  EXPECT_EQ(second.location().to_string(), "run.csv:7");
}

TEST(Nvprof, TablesThatAreNotReadAreNamed) {
  EXPECT_THAT(error_in("\"Device\",\"Kernel\",\"Invocations\",\"Metric Name\"\n\"K40\",\"k\",1,"
                       "\"ipc\"\n")
                  .what(),
              HasSubstr("metrics or events"));
  EXPECT_THAT(error_in("\"Start\",\"Duration\",\"Name\"\nus,us,\n1,2,\"cudaFree\"\n").what(),
              HasSubstr("trace of the calls of CUDA"));
  const Error terminal = error_in(
      "==1== Profiling result:\n            Type  Time(%)      Time     Calls       Avg\n"
      " GPU activities:   99.94%  1.11524s       301  3.7051ms\n");
  EXPECT_THAT(terminal.what(), HasSubstr("text for terminals"));
  EXPECT_THAT(terminal.hint(), HasSubstr("nvprof --csv"));
  EXPECT_THAT(error_in(trace_head + "10,0,5,0,1,1,1,\"K40 (0)\",\"7\",,\"k\"\n").hint(),
              HasSubstr("decimal comma"));
  EXPECT_THAT(error_in("==1== Profiling result:\nNo kernels were profiled.\n").what(),
              HasSubstr("not CSV of nvprof"));
  EXPECT_THAT(error_in(trace_head).what(), HasSubstr("hold no GPU kernels"));
}

}  // namespace
}  // namespace rooflab::import
