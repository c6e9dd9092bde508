// The real worker on the CPU, quick. What it measures is never compared with a speed.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>

#include "describe/schema.hpp"
#include "engine/worker_probe.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/system/file.hpp"
#include "system/child_process.hpp"

namespace rooflab::engine {
namespace {

namespace fs = std::filesystem;
using testing::Contains;
using testing::IsSupersetOf;

struct Outcome {
  std::map<std::string, device::MeasuredFigure> figures;
  std::vector<device::VectorAddition> rows;
  std::set<std::string> done;
  std::map<std::string, std::string> environment;
};

class CpuWorker : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("rooflab-probe-" +
               std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  int run(const DeviceProbeRequest& request) {
    const fs::path request_file = folder_ / "request.json";
    save_file(request_file, request);
    const std::string command = std::string(ROOFLAB_PROBE_WORKER) + " run " +
                                request_file.string() + ' ' + results().string() + " > " +
                                (folder_ / "progress").string() + " 2>&1";
    return std::system(command.c_str());
  }

  [[nodiscard]] fs::path results() const { return folder_ / "results.jsonl"; }

  [[nodiscard]] Outcome outcome() const {
    Outcome outcome;
    for (const DeviceProbeLine& line : ProbeJournal(results()).lines_as<DeviceProbeLine>()) {
      if (line.figure) outcome.figures[line.figure->name] = *line.figure;
      if (line.vector_addition) outcome.rows.push_back(*line.vector_addition);
      if (line.part_done) outcome.done.insert(*line.part_done);
      if (line.environment)
        outcome.environment.insert(line.environment->begin(), line.environment->end());
    }
    return outcome;
  }

 private:
  fs::path folder_;
};

TEST_F(CpuWorker, Describes) {
  const Capabilities capabilities = describe(ROOFLAB_PROBE_WORKER);
  EXPECT_EQ(capabilities.build.worker, "rooflab-probe");
  ASSERT_FALSE(capabilities.devices.empty());
  EXPECT_EQ(capabilities.devices.front().kind, "cpu");
}

TEST_F(CpuWorker, MeasuresItsMemory) {
  ASSERT_EQ(run({.device = "cpu", .quick = true, .parts = {"bandwidth"}}), 0);
  const Outcome found = outcome();
  EXPECT_THAT(found.done, Contains("bandwidth"));
  EXPECT_EQ(found.figures.size(), 4U);
  for (const char* name : {"dram.read", "dram.write", "dram.copy", "dram.triad"}) {
    ASSERT_TRUE(found.figures.contains(name)) << name;
    const device::MeasuredFigure& figure = found.figures.at(name);
    EXPECT_EQ(figure.unit, "B/s");
    EXPECT_GT(figure.least, 0.0);
    EXPECT_LE(figure.least, figure.value);
    EXPECT_LE(figure.value, figure.most);
    EXPECT_GE(figure.repetitions, 10);
  }
  EXPECT_FALSE(found.environment.at("cpu").empty());
}

TEST_F(CpuWorker, AddsVectors) {
  ASSERT_EQ(run({.device = "cpu", .quick = true, .parts = {"vector_addition", "l2"}}), 0);
  const Outcome found = outcome();
  EXPECT_THAT(found.done, IsSupersetOf({"vector_addition", "l2"}));
  ASSERT_EQ(found.rows.size(), 2U);
  EXPECT_EQ(found.rows[0].elements, 1'000'000);
  EXPECT_EQ(found.rows[1].elements, 5'000'000);
  for (const device::VectorAddition& row : found.rows) {
    EXPECT_EQ(row.launch, "cpu");
    EXPECT_EQ(row.memory, "host");
    EXPECT_TRUE(row.correct);
    EXPECT_GT(row.total_s, 0.0);
    EXPECT_FALSE(row.to_device_s);
  }

  const std::string before = read_file(results());
  ASSERT_EQ(run({.device = "cpu", .quick = true, .parts = {"vector_addition", "l2"}}), 0);
  EXPECT_EQ(read_file(results()), before);
}

TEST_F(CpuWorker, NamesADeviceThatIsNone) {
  EXPECT_NE(run({.device = "gpu", .quick = true, .parts = {"launch"}}), 0);
}

}  // namespace
}  // namespace rooflab::engine
