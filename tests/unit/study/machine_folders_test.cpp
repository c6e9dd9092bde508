#include "study/machine_folders.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/input_error.hpp"
#include "base/format.hpp"
#include "describe/schema.hpp"
#include "rooflab/system/file.hpp"
#include "study/case_file.hpp"
#include "study/joint_results.hpp"
#include "study/study_folder.hpp"
#include "study/verdict.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab::study {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;

Machine machine_with(const std::string& model, const std::string& id) {
  return {.cpu = "A CPU",
          .torch_worker = true,
          .probe_worker = false,
          .counters = false,
          .gpus = {{"cuda:0", model, id}}};
}
Machine h200_machine() { return machine_with("NVIDIA H200", "h200-sxm"); }
Machine t4_machine() { return machine_with("Tesla T4", "t4"); }

Study two_devices() {
  return read_study(R"toml(title = "a study"
[[cases]]
name = "steps"
mode = "measure"
model = "alexnet"
device = ["h200", "t4", "cpu"]
[[cases]]
name = "counts"
mode = "summary"
model = "alexnet"
[[hypotheses]]
check = "time(device=h200) < time(device=t4)"
)toml",
                    "a.toml");
}

class MachineFoldersTest : public testing::Test {
 protected:
  MachineFoldersTest() : temporary_("machine-folders-test") {}

  [[nodiscard]] fs::path file(const std::string& name) const { return temporary_.file(name); }

  [[nodiscard]] static std::vector<PlannedCase> plan_for(const Machine& machine) {
    return plan_study(two_devices(), machine, device::Catalog::built_in());
  }

  /// The time of a case whose result says what it is.
  static Json result_of(const PlannedCase& planned, double seconds) {
    if (planned.mode == Mode::summary) return {{"totals", {{"parameters", 61}}}};
    if (planned.mode == Mode::predict) return {{"cases", {{{"predicted_s", seconds}}}}};
    return {{"cases", {{{"status", "ok"}, {"timing", {{"median_s", seconds}}}}}}};
  }

  /// All of the cases that the machine would run, each as long as `seconds`.
  static void run_all(const fs::path& folder, const Machine& machine, double seconds,
                      const std::string& began = "2026-01-01T00:00:00Z", int exit_code = 0) {
    const StudyFolder taken(folder, {"a study", machine, "rooflab study run a.toml"}, Shard());
    for (const PlannedCase& planned : plan_for(machine)) {
      if (!planned.skipped.empty()) continue;
      CaseOutcome outcome{.id = planned.id,
                          .command = command_of(planned),
                          .input = {},
                          .version = "1",
                          .exit_code = exit_code,
                          .reason = {},
                          .seconds = 1.0,
                          .began = began,
                          .result = result_of(planned, seconds)};
      write_file_atomically(outcome_file(folder, planned), file_json(outcome).dump());
    }
  }

  [[nodiscard]] static MachineResults of(const fs::path& folder, const Machine& machine) {
    return {machine_name(machine), folder, plan_for(machine)};
  }

  [[nodiscard]] static std::vector<MachineResults> all_in(const fs::path& root) {
    std::vector<MachineResults> all;
    for (const fs::path& folder : machine_folders(root)) {
      all.push_back(of(folder, *read_origin(folder).machine));
    }
    return all;
  }

  static void take(const std::vector<fs::path>& folders, const fs::path& root,
                   TwoRuns two_runs = TwoRuns::take_newer) {
    take_results(folders, {"a study", {}, {}}, root, two_runs);
  }

  /// The time and the machine of each id.
  [[nodiscard]] static std::vector<std::pair<std::string, std::string>> times(
      const JointResults& joint) {
    std::vector<std::pair<std::string, std::string>> all;
    for (const StudyCase& each : cases_of(two_devices(), joint.plan, joint.outcomes)) {
      const Figure* const time = each.find("time");
      const std::string text = time == nullptr ? "-" : format("{}", time->value);
      all.emplace_back(each.id,
                       format("{} {} {}", each.attribute("mode"), text, each.attribute("machine")));
    }
    return all;
  }

  TemporaryFolder temporary_;
};

TEST(StudyMachine, IsTheSameHardwareWithFewerGpusAndAbilities) {
  Machine fewer = h200_machine();
  fewer.gpus.push_back({"cuda:1", "NVIDIA H200", "h200-sxm"});
  fewer.counters = true;
  EXPECT_TRUE(is_same_hardware(h200_machine(), fewer));
  fewer.cpu = "";
  EXPECT_TRUE(is_same_hardware(h200_machine(), fewer));
  fewer.cpu = "Another CPU";
  EXPECT_FALSE(is_same_hardware(h200_machine(), fewer));
  EXPECT_FALSE(is_same_hardware(h200_machine(), t4_machine()));
  EXPECT_EQ(machine_name(h200_machine()), "NVIDIA H200");
  EXPECT_EQ(machine_name({.cpu = "A CPU"}), "A CPU");
}

TEST_F(MachineFoldersTest, EachMachineHasItsOwnInOneRoot) {
  EXPECT_EQ(folder_of_machine(file("root"), h200_machine()), file("root"));
  run_all(file("root"), h200_machine(), 1.0);
  EXPECT_EQ(folder_of_machine(file("root"), h200_machine()), file("root"));
  EXPECT_EQ(folder_of_machine(file("root"), std::nullopt), file("root"));
  const fs::path other = folder_of_machine(file("root"), t4_machine());
  EXPECT_EQ(other.parent_path(), file("root") / "machines");
  run_all(other, t4_machine(), 2.0);
  EXPECT_EQ(folder_of_machine(file("root"), t4_machine()), other);
  EXPECT_THAT(machine_folders(file("root")), ElementsAre(file("root"), other));
}

TEST_F(MachineFoldersTest, MeasuredCasesOfBothStandBesideEachOther) {
  run_all(file("one"), h200_machine(), 1.0);
  run_all(file("two"), t4_machine(), 2.0);
  take({file("one"), file("two")}, file("root"));
  const JointResults joint = join_results(all_in(file("root")));
  EXPECT_THAT(times(joint),
              ElementsAre(Pair("steps-alexnet-h200-measure", "measure 1 NVIDIA H200"),
                          Pair("steps-alexnet-t4-measure", "measure 2 Tesla T4"),
                          Pair("steps-alexnet-cpu-measure", "measure 1 NVIDIA H200"),
                          Pair("steps-alexnet-cpu-measure-on-tesla-t4", "measure 2 Tesla T4"),
                          Pair("counts-alexnet-summary", "summary - ")));
  const std::vector<StudyCase> cases = cases_of(two_devices(), joint.plan, joint.outcomes);
  const Verdict verdict = judge(two_devices().hypotheses.front(), cases, {});
  EXPECT_EQ(verdict.result, Judgement::supported);
  EXPECT_EQ(verdict.reason, "in the only case");
  EXPECT_EQ(verdict.instances.front().where.at("machine"), "NVIDIA H200 and Tesla T4");
}

// Processors of two machines are two devices.
TEST_F(MachineFoldersTest, OneDeviceIsOfOneMachineInACheck) {
  run_all(file("one"), h200_machine(), 1.0);
  run_all(file("two"), t4_machine(), 2.0);
  take({file("one"), file("two")}, file("root"));
  const JointResults joint = join_results(all_in(file("root")));
  const std::vector<StudyCase> cases = cases_of(two_devices(), joint.plan, joint.outcomes);
  const Hypothesis same{"h1", "", "time(device=cpu) == time(cpu)", {}};
  EXPECT_EQ(judge(same, cases, {}).result, Judgement::supported);
  const Hypothesis across{
      "h2", "", "time(cpu, machine='Tesla T4') > time(cpu, machine='NVIDIA H200')", {}};
  EXPECT_EQ(judge(across, cases, {}).result, Judgement::supported);
}

TEST_F(MachineFoldersTest, WithoutAMeasurementThePredictionStands) {
  run_all(file("one"), h200_machine(), 1.0);
  const JointResults joint = join_results(all_in(file("one")));
  EXPECT_THAT(times(joint), ElementsAre(Pair("steps-alexnet-h200-measure", "measure 1 "),
                                        Pair("steps-alexnet-t4-measure", "predict 1 "),
                                        Pair("steps-alexnet-cpu-measure", "measure 1 "),
                                        Pair("counts-alexnet-summary", "summary - ")));
}

// A machine that could do less for a while is planned for twice.
TEST_F(MachineFoldersTest, OneResultStandsOnceThoughTwoPlansHaveIt) {
  run_all(file("one"), h200_machine(), 1.0);
  Machine closed = h200_machine();
  closed.counters = true;
  const JointResults joint =
      join_results({of(file("one"), h200_machine()), of(file("one"), closed)});
  EXPECT_THAT(joint.plan, SizeIs(4));
}

TEST_F(MachineFoldersTest, WhatAnotherMachineMeasuredIsNotPredicted) {
  run_all(file("one"), h200_machine(), 1.0);
  EXPECT_THAT(cases_run_elsewhere(plan_for(t4_machine()), all_in(file("one"))),
              UnorderedElementsAre("steps-alexnet-h200-measure"));
  EXPECT_THAT(cases_run_elsewhere(plan_for(h200_machine()), all_in(file("one"))), IsEmpty());
}

// A machine whose counters or workers are closed for a while keeps what it has measured.
TEST_F(MachineFoldersTest, AFolderKnowsWhatItsMachineCouldDoBefore) {
  run_all(file("one"), h200_machine(), 1.0);
  Machine closed = h200_machine();
  closed.torch_worker = false;
  record_origin(file("one"), {"a study", closed, ""});
  EXPECT_EQ(read_origin(file("one")).machine, h200_machine());
  EXPECT_THAT(cases_run_elsewhere(plan_for(closed), all_in(file("one"))), SizeIs(2));
}

TEST_F(MachineFoldersTest, TwoShardsAreOneRun) {
  run_all(file("one"), h200_machine(), 1.0);
  run_all(file("two"), h200_machine(), 1.0);
  fs::remove(file("one") / "cases" / "steps-alexnet-t4-measure.json");
  fs::remove(file("two") / "cases" / "counts-alexnet-summary.json");
  take({file("one"), file("two")}, file("root"), TwoRuns::are_refused);
  EXPECT_THAT(machine_folders(file("root")), SizeIs(1));
  EXPECT_THAT(times(join_results(all_in(file("root")))), SizeIs(4));
  take({file("one"), file("two")}, file("root"), TwoRuns::are_refused);  // changes nothing
  EXPECT_EQ(read_origin(file("root")),
            (StudyOrigin{"a study", h200_machine(), "rooflab study run a.toml"}));
}

TEST_F(MachineFoldersTest, OfTwoRunsTheNewerOneThatDidNotFailCounts) {
  run_all(file("old"), h200_machine(), 1.0, "2026-01-01T00:00:00Z");
  run_all(file("new"), h200_machine(), 2.0, "2026-01-02T00:00:00Z");
  run_all(file("failed"), h200_machine(), 3.0, "2026-01-03T00:00:00Z", 2);
  const std::string refused = error_of([&] {
    take({file("old"), file("new")}, file("root"), TwoRuns::are_refused);
    return 0;
  });
  EXPECT_THAT(refused, HasSubstr("are two runs of one case"));
  EXPECT_FALSE(fs::exists(file("root")));
  take({file("failed"), file("new"), file("old")}, file("root"));
  EXPECT_EQ(times(join_results(all_in(file("root")))).front().second, "measure 2 ");
  take({file("failed")}, file("root"));
  EXPECT_EQ(times(join_results(all_in(file("root")))).front().second, "measure 2 ");
}

TEST_F(MachineFoldersTest, FoldersOfOtherStudiesAreRefused) {
  const auto message = [&](const fs::path& folder) {
    return error_of([&] {
      take({folder}, file("root"));
      return 0;
    });
  };
  EXPECT_EQ(message(file("none")), "'" + file("none").string() + "' holds no study");
  { const StudyFolder other(file("other"), {"another", {}, ""}, Shard()); }
  EXPECT_EQ(message(file("other")),
            "'" + file("other").string() + "' holds another study: another");
  { const StudyFolder empty(file("empty"), {"a study", {}, ""}, Shard()); }
  EXPECT_EQ(message(file("empty")), "'" + file("empty").string() + "' holds no finished case");
}

}  // namespace
}  // namespace rooflab::study
