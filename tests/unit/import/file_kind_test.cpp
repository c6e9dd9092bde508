#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "../base/input_error.hpp"
#include "base/format.hpp"
#include "rooflab/import/readers.hpp"

namespace rooflab::import {
namespace {

TEST(FileKind, IsWhatTheContentSays) {
  EXPECT_EQ(file_kind_of("{\n \"schema_version\": 1,\n \"kind\" : \"record\"", "x"),
            FileKind::record);
  EXPECT_EQ(file_kind_of(R"({"schema_version": 3, "command": "measure", "cases": []})", "x"),
            FileKind::measurement);
  EXPECT_EQ(file_kind_of(R"({"schema_version": 3, "command": "predict", "cases": []})", "x"),
            FileKind::prediction);
  EXPECT_EQ(file_kind_of(R"({"command":"train","runs":[{"kind":"training_run"}]})", "x"),
            FileKind::training);
  EXPECT_EQ(file_kind_of(R"({"schema_version": 3, "kind": "training_run"})", "run.json"),
            FileKind::training_run);
  EXPECT_EQ(file_kind_of(R"({"schema_version": 3, "kind": "scale_run"})", "x"),
            FileKind::scale_run);
  EXPECT_EQ(name_of(FileKind::scale_run), "a run of scale");
  EXPECT_EQ(file_kind_of("==PROF== Connected to process 1\n", "run.json"), FileKind::ncu_log);
  EXPECT_EQ(file_kind_of("hello\nworld\"ID\",\"Process ID\",\"Process Name\"", "run"),
            FileKind::ncu_log);
  EXPECT_EQ(file_kind_of(std::string_view("NVR\0\x10\0", 6), "run.csv"), FileKind::ncu_report);
  EXPECT_EQ(file_kind_of("\x1f\x8b\x08", "t"), FileKind::trace);
  EXPECT_EQ(file_kind_of("\n {\n \"schemaVersion\": 1, \"deviceProperties\": [", "t"),
            FileKind::trace);
  EXPECT_EQ(file_kind_of("[{\"ph\":\"X\",", "t"), FileKind::trace);
  EXPECT_EQ(file_kind_of(std::string_view("SQLite format 3\0\x10", 17), "run.csv"),
            FileKind::nsys_export);
  EXPECT_EQ(file_kind_of("\nNOTICE: x\n\nStart (ns),Duration (ns),CorrId,Name\n1,2,3,k", "x"),
            FileKind::nsys_csv);
  EXPECT_EQ(file_kind_of("==7== NVPROF is profiling process 7, command: ./a.out\n", "x"),
            FileKind::nvprof_csv);
  EXPECT_EQ(file_kind_of("\"Time(%)\",\"Time\",\"Calls\",\"Avg\",\"Min\",\"Max\",\"Name\"\n", "x"),
            FileKind::nvprof_csv);
  EXPECT_EQ(file_kind_of("Time (%),Total Time (ns),Instances,Name\n", "x"), FileKind::nsys_csv);
  EXPECT_EQ(name_of(FileKind::nsys_export), "an export of Nsight Systems");
}

// A record may speak of measuring; what it is comes first.
TEST(FileKind, ARecordThatImportWroteIsARecord) {
  EXPECT_EQ(file_kind_of(R"({"command": "import", "kind": "record")", "x.json"), FileKind::record);
}

// Its first line quotes a command line, which may speak of anything.
TEST(FileKind, AProfileIsOneWhateverItsCommandWas) {
  EXPECT_EQ(
      file_kind_of(R"({"rooflab_profile":1,"pid":7,"command":["ncu","\"ID\",\"Process ID\""],)"
                   R"("kind":"record","traceEvents":0})",
                   "trace.json"),
      FileKind::profile);
  EXPECT_EQ(name_of(FileKind::profile), "a profile of rooflab profile");
  EXPECT_EQ(name_of(FileKind::unknown), "an unknown file");
  EXPECT_EQ(file_kind_of(R"({"command": "rooflab_profile"})", "x"), FileKind::unknown);
}

TEST(FileKind, FallsBackToTheName) {
  EXPECT_EQ(file_kind_of("epoch 1\nepoch 2\n", "run.log"), FileKind::ncu_log);
  EXPECT_EQ(file_kind_of("epoch 1\nepoch 2\n", "run.bin"), FileKind::unknown);
  EXPECT_EQ(file_kind_of("{\"a\":1}", "my.pt.trace.json"), FileKind::trace);
  EXPECT_EQ(file_kind_of("{\"a\":1}", "a.json"), FileKind::unknown);
  EXPECT_EQ(file_kind_of("\x01\x02\x03", "Run.nsys-rep"), FileKind::nsys_report);
  EXPECT_EQ(file_kind_of("\x01\x02\x03", "run.qdrep"), FileKind::nsys_report);
  EXPECT_EQ(file_kind_of("", "run.nsys-rep"), FileKind::empty);
  EXPECT_EQ(file_kind_of("", "run.csv"), FileKind::empty);
  EXPECT_EQ(file_kind_of(" \n", "t.json"), FileKind::empty);
}

TEST(FileKind, OfWhatCannotBeReadIsAnError) {
  const auto folder = std::filesystem::temp_directory_path();
  EXPECT_NE(error_of([&] { (void)file_kind_of(folder); }).find("it is a directory"),
            std::string::npos);
  EXPECT_NE(
      error_of([&] { (void)file_kind_of(folder / "rooflab-not-there"); }).find("No such file"),
      std::string::npos);
  const auto file = folder / format("rooflab-kind-{}", ::getpid());
  std::ofstream(file) << "[{\"ph\":\"X\"}]";
  EXPECT_EQ(file_kind_of(file), FileKind::trace);
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace rooflab::import
