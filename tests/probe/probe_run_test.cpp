#include "probe_run.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::probe_worker {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// A file of results that is gone afterwards.
struct ResultsFile {
  ResultsFile() { fs::remove(path); }
  ~ResultsFile() { fs::remove(path); }
  ResultsFile(const ResultsFile&) = delete;
  ResultsFile& operator=(const ResultsFile&) = delete;
  const fs::path path = fs::path(testing::TempDir()) /
                        (std::string("rooflab-") +
                         testing::UnitTest::GetInstance()->current_test_info()->name() + ".jsonl");
};

device::MeasuredFigure figure(const std::string& name) {
  return {.name = name,
          .unit = "s",
          .value = 2.0,
          .least = 1.0,
          .most = 3.0,
          .repetitions = 3,
          .at = ""};
}

/// Two figures in `launch`, one in `transfers`, whose step fails on demand.
class FakeDevice : public DeviceProbe {
 public:
  explicit FakeDevice(Results& results) : results_(results) {}

  std::map<std::string, std::string> identity() override { return {{"device", "fake"}}; }
  std::map<std::string, std::string> state() override { return {{"clock", "1"}}; }
  std::vector<Step> steps_of(const std::string& part) override {
    std::vector<Step> steps;
    const auto add = [&](const std::string& name, double expected_s) {
      if (results_.find(name) != nullptr) return;
      steps.push_back({expected_s, [this, name] {
                         ran.push_back(name);
                         if (fail) fail();
                         results_.figure(figure(name));
                       }});
    };
    if (part == "launch") {
      add("launch.issue", 1.0);
      add("launch.gap", 3.0);
    }
    if (part == "transfers") add("h2d.pinned", 4.0);
    return steps;
  }

  std::vector<std::string> ran;
  std::function<void()> fail;

 private:
  Results& results_;
};

void ignore_progress(std::string_view /*stage*/, double /*done*/, double /*left_s*/) {}

engine::DeviceProbeRequest request_for(std::vector<std::string> parts) {
  return {.device = "fake", .parts = std::move(parts)};
}

TEST(ProbeRun, MeasuresWhatIsAskedInItsOwnOrder) {
  const ResultsFile file;
  Results results(file.path);
  FakeDevice device(results);
  std::vector<std::string> said;
  run_probe(
      request_for({"launch", "transfers"}), device, results,
      [&](std::string_view stage, double done, double /*left_s*/) {
        said.push_back(std::string(stage) + ' ' + std::to_string(static_cast<int>(100 * done)));
      });
  EXPECT_THAT(device.ran, ElementsAre("h2d.pinned", "launch.issue", "launch.gap"));
  EXPECT_THAT(said,
              ElementsAre("transfers 0", "transfers 100", "launch 0", "launch 25", "launch 100"));
}

TEST(ProbeRun, TimeLeftIsOfEverything) {
  const ResultsFile file;
  Results results(file.path);
  FakeDevice device(results);
  std::vector<double> left;
  run_probe(
      request_for({"launch", "transfers"}), device, results,
      [&](std::string_view /*stage*/, double /*done*/, double left_s) { left.push_back(left_s); });
  ASSERT_EQ(left.size(), 5U);
  EXPECT_EQ(left[0], 8.0);
  EXPECT_LT(left[1], 4.0);  // a step that takes nothing makes the rest shorter, too
  EXPECT_EQ(left[4], 0.0);
}

TEST(ProbeRun, LeavesOutWhatIsThere) {
  const ResultsFile file;
  {
    Results results(file.path);
    results.figure(figure("launch.issue"));
    results.finish_part("transfers");
  }
  Results results(file.path);
  FakeDevice device(results);
  run_probe(request_for({"launch", "transfers"}), device, results, ignore_progress);
  EXPECT_THAT(device.ran, ElementsAre("launch.gap"));
  const std::string text = read_file(file.path);
  EXPECT_THAT(text, HasSubstr("{\"part_done\":\"launch\"}\n"));

  run_probe(request_for({"launch", "transfers"}), device, results, ignore_progress);
  EXPECT_EQ(read_file(file.path), text);
}

TEST(ProbeRun, WhatIsNotPossibleIsANote) {
  const ResultsFile file;
  Results results(file.path);
  FakeDevice device(results);
  device.fail = [] { throw Error(ErrorKind::capability, "no such memory here"); };
  run_probe(request_for({"launch"}), device, results, ignore_progress);
  EXPECT_THAT(device.ran, ElementsAre("launch.issue", "launch.gap"));
  EXPECT_EQ(read_file(file.path),
            "{\"environment\":{\"device\":\"fake\"}}\n"
            R"({"note":{"code":"part_failed","subject":null,"values":["no such memory here"],)"
            R"("text":"no such memory here"}})"
            "\n"
            "{\"environment\":{\"clock\":\"1\"}}\n"
            "{\"part_done\":\"launch\"}\n");
}

TEST(ProbeRun, ABrokenDeviceEndsItAndThePartStaysOpen) {
  const ResultsFile file;
  Results results(file.path);
  FakeDevice device(results);
  device.fail = [] { throw std::runtime_error("illegal address"); };
  EXPECT_THROW(run_probe(request_for({"launch"}), device, results, ignore_progress),
               std::runtime_error);
  EXPECT_THAT(read_file(file.path), Not(HasSubstr("part_done")));
}

TEST(ProbeRun, UnknownPartsAreAnError) {
  const ResultsFile file;
  Results results(file.path);
  FakeDevice device(results);
  try {
    run_probe(request_for({"launch", "lunch"}), device, results, ignore_progress);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(), HasSubstr("'lunch'"));
  }
  EXPECT_TRUE(device.ran.empty());
}

TEST(Results, KnowVectorAdditionsByTheirSettings) {
  const ResultsFile file;
  {
    Results results(file.path);
    results.vector_addition({.launch = "1x1", .memory = "device", .elements = 5, .total_s = 1.0});
  }
  const Results results(file.path);
  EXPECT_TRUE(results.has({.launch = "1x1", .memory = "device", .elements = 5}));
  EXPECT_FALSE(results.has({.launch = "1x1", .memory = "managed", .elements = 5}));
  EXPECT_FALSE(results.has({.launch = "1x1", .memory = "device", .elements = 6}));
  EXPECT_FALSE(results.has({.launch = "1x256", .memory = "device", .elements = 5}));
}

}  // namespace
}  // namespace rooflab::probe_worker
