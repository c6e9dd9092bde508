#include "study/figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "../training/training_runs.hpp"
#include "describe/schema.hpp"
#include "result_figures.hpp"
#include "rooflab/training/training_summary.hpp"

namespace rooflab::study {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;

PlannedCase planned(Mode mode) {
  PlannedCase result;
  result.id = "a-case";
  result.mode = mode;
  result.attributes = {{"model", "resnet18"}, {"mode", std::string(name_of(mode))}};
  result.words = {std::string(name_of(mode)), "resnet18"};
  return result;
}

CaseOutcome outcome(std::string_view result, std::string reason = {}) {
  CaseOutcome ended;
  ended.reason = std::move(reason);
  if (!result.empty()) ended.result = parse_json(result, "x.json");
  return ended;
}

/// One planned case with what came of it.
StudyCase case_with(const PlannedCase& plan, const std::optional<CaseOutcome>& ended) {
  const std::vector<StudyCase> cases =
      cases_of(Study(), std::vector{plan}, std::vector<std::optional<CaseOutcome>>{ended});
  EXPECT_EQ(cases.size(), 1U);
  return cases.front();
}

std::string reason_with(Mode mode, std::string_view result, std::string reason = {}) {
  return case_with(planned(mode), outcome(result, std::move(reason))).reason;
}

std::string note_with(Mode mode, std::string_view result) {
  return case_with(planned(mode), outcome(result)).note;
}

TEST(Figures, AreTakenFromWhatIsThere) {
  for (const Mode mode : values_of<Mode>) {
    for (const std::string_view result :
         {"{}", "null", "[]", R"("text")", "7", R"({"cases": []})", R"({"cases": {}})",
          R"({"cases": [null], "series": [3], "groups": [[]], "points": ["x"], "plan": 4,
              "figures": [null, {"name": "dram.read"}, {"value": 3}], "imports": {}, "totals": []})",
          R"({"cases": [{"status": 3, "timing": [], "predicted_s": "1", "limit_s": true, "memory":
  {"allocated_peak_bytes": "many"}}], "totals": {"flop": "many"}})"}) {
      EXPECT_THAT(values_in(mode, result), IsEmpty()) << name_of(mode) << " of " << result;
    }
  }
}

TEST(Figures, HaveNoRateWithoutTime) {
  EXPECT_THAT(
      values_in(Mode::predict, R"({"cases": [{"limit_s": 0, "flop": 0}]})"),
      testing::UnorderedElementsAre(value("time", 0), value("limit", 0), value("flops", 0)));
}

TEST(Figures, HaveNoIntervalThatDoesNotHoldTheirValue) {
  EXPECT_EQ(
      interval_in(Mode::predict,
                  R"({"cases": [{"predicted_s": 3, "predicted_low_s": 4, "predicted_high_s": 5}]})",
                  "time"),
      "exact");
  EXPECT_EQ(
      interval_in(
          Mode::predict,
          R"({"cases": [{"predicted_s": 3, "predicted_low_s": 1, "predicted_high_s": null}]})",
          "time"),
      "exact");
  // From no time at all: a rate without an upper end has no interval.
  constexpr std::string_view from_zero =
      R"({"cases": [{"predicted_s": 3, "predicted_low_s": 0, "predicted_high_s": 5, "batch": 6}]})";
  EXPECT_EQ(interval_in(Mode::predict, from_zero, "time"), "0 to 5");
  EXPECT_EQ(interval_in(Mode::predict, from_zero, "samples_per_s"), "exact");
}

TEST(StudyCase, FindsFiguresAndAttributes) {
  StudyCase each;
  each.attributes = {{"model", "resnet18"}};
  each.figures = {{.quantity = "flops", .value = 3.0, .low = {}, .high = {}},
                  {.quantity = "time", .value = 0.5, .low = {}, .high = {}}};
  ASSERT_NE(each.find("time"), nullptr);
  EXPECT_EQ(each.find("time")->value, 0.5);
  EXPECT_EQ(each.find("bytes"), nullptr);
  EXPECT_EQ(each.attribute("model"), "resnet18");
  EXPECT_EQ(each.attribute("batch"), "");
}

TEST(StudyCase, IsThePlannedOneWithItsFigures) {
  PlannedCase plan = planned(Mode::predict);
  plan.note = "t4 is not here: predicted";
  const StudyCase each = case_with(plan, outcome(R"({"cases": [{"limit_s": 0.25}]})"));
  EXPECT_EQ(each.id, "a-case");
  EXPECT_EQ(each.attributes, plan.attributes);
  EXPECT_EQ(each.note, "t4 is not here: predicted");
  EXPECT_EQ(each.reason, "");
  EXPECT_EQ(each.command, "rooflab predict resnet18");
  ASSERT_NE(each.find("time"), nullptr);
  EXPECT_EQ(each.find("time")->value, 0.25);
}

// The plan of a network in a file leaves open what the file is.
TEST(StudyCase, HasTheBatchPhaseAndPrecisionOfItsResult) {
  const StudyCase each =
      case_with(planned(Mode::predict),
                outcome(R"({"cases": [{"limit_time_s": 0.25, "batch": 4, "phase": "training",)"
                        R"( "precision": "mixed"}]})"));
  EXPECT_EQ(each.attribute("batch"), "4");
  EXPECT_EQ(each.attribute("phase"), "training");
  EXPECT_EQ(each.attribute("precision"), "mixed");
  PlannedCase plan = planned(Mode::predict);
  plan.attributes["precision"] =
      "amp";  // what was asked for stays, whatever the device makes of it
  EXPECT_EQ(
      case_with(plan, outcome(R"({"cases": [{"precision": "amp-fp16"}]})")).attribute("precision"),
      "amp");
}

TEST(StudyCase, WithoutAnOutcomeSaysWhy) {
  PlannedCase plan = planned(Mode::measure);
  EXPECT_EQ(case_with(plan, std::nullopt).reason, "not run yet");
  EXPECT_EQ(case_with(plan, std::nullopt).command, "rooflab measure resnet18");
  plan.words.clear();
  plan.skipped = "no GPU is here";
  EXPECT_EQ(case_with(plan, std::nullopt).reason, "no GPU is here");
  EXPECT_EQ(case_with(plan, std::nullopt).command, "");
  // Another machine has run it.
  EXPECT_EQ(case_with(plan, outcome(R"({"cases": [{"status": "ok", "step_energy_j": 2}]})")).reason,
            "");
}

TEST(StudyCase, ThatDidNotEndWellSaysWhatItsResultSays) {
  // ROOFLAB_FAKE=oom@vgg16 rooflab measure vgg16 --device cuda -o x.json
  constexpr std::string_view oom =
      R"({"cases": [{"status": "oom", "message": "out of memory: 300 MB held", "memory": null}]})";
  EXPECT_EQ(reason_with(Mode::measure, oom), "oom: out of memory: 300 MB held");
  EXPECT_EQ(reason_with(Mode::counters, oom, "exit code 1"), "oom: out of memory: 300 MB held");
  EXPECT_EQ(reason_with(Mode::measure, R"({"cases": [{"status": "crashed", "message": ""}]})"),
            "crashed");
  EXPECT_EQ(
      reason_with(
          Mode::scale,
          R"({"series": [{"rows": [{"status": "ok", "median_s": 1}, {"status": "failed", "message":
  "rank 1: no"}]}]})"),
      "failed: rank 1: no");
  EXPECT_EQ(reason_with(Mode::profile, R"({"status": "interrupted", "message": ""})"),
            "interrupted");
  EXPECT_EQ(reason_with(Mode::import, R"({"imports": [{"status": "failed", "message": "x"}]})"),
            "failed: x");
  EXPECT_EQ(reason_with(Mode::train, R"({"groups": [{"complete": 0, "runs": ["run-1"]}],
              "runs": [{"status": "crashed", "message": "signal 6"}]})"),
            "crashed: signal 6");
  EXPECT_EQ(reason_with(Mode::train, R"({"groups": [{"complete": 0}], "runs": []})"),
            "no run came to its end");
  EXPECT_EQ(reason_with(Mode::partition, R"({"plan": null, "least_memory_bytes": 3000000000})"),
            "no partition fits; each device would need 3 GB");
  EXPECT_EQ(reason_with(
                Mode::partition,
                R"({"plan": {"predicted_s": 1}, "run": {"status": "oom", "message": "stage 1"}})"),
            "oom: stage 1");
  EXPECT_EQ(reason_with(Mode::fit, R"({"memory_bytes": 8, "points": [{"largest": null}]})"),
            "not even the least fits");
  EXPECT_EQ(
      reason_with(Mode::fit, R"({"points": [{"largest": [3], "searched": true, "found": []}]})"),
      "not even the least fits");
  EXPECT_EQ(reason_with(Mode::fit, R"({"points": [{"largest": {"batch": 3}}]})"), "");
}

TEST(StudyCase, WithoutUseOfItsResultSaysWhatTheRunnerSaid) {
  EXPECT_EQ(reason_with(Mode::measure, "", "killed by signal 9"), "killed by signal 9");
  EXPECT_EQ(reason_with(Mode::measure, "{}", "exit code 3: no GPU"), "exit code 3: no GPU");
  EXPECT_EQ(reason_with(Mode::probe, R"({"figures": []})"),
            "the result holds nothing that a study can use");
}

TEST(StudyCase, WithAUsefulResultKeepsTheRunnersWordsAsANote) {
  const std::string trained =
      file_json(training::summarize_training(
                    {{"run-1", training::training_run(1, {0.1, 0.2, 0.3, 0.4, 0.5}, 0.8)}}))
          .dump();
  const StudyCase each = case_with(planned(Mode::train), outcome(trained, "exit code 1"));
  EXPECT_EQ(each.reason, "");
  EXPECT_EQ(each.note, "no run reached 80 %: the time to it is unknown; exit code 1");
  EXPECT_NE(each.find("accuracy"), nullptr);
}

TEST(StudyCase, NotesWhatItsFiguresLeaveOut) {
  EXPECT_EQ(
      note_with(
          Mode::predict,
          R"({"cases": [{"limit_s": 1, "coverage_share": 0.975, "verdict": "oom", "device_memory_bytes":
  16000000000, "memory": {"total_bytes": 17400000000, "unknown": [{"text": "workspace"}, {"text": "context"}]},
  "notes": [{"text": "no TF32 path: FP32 was taken."}]}]})"),
      "FLOPs and bytes are of 97.5 % of the operations: the others have no rule; by"
      " prediction it does not fit: 17.4 GB of memory, and the device has 16 GB; not in its"
      " memory: workspace, context; no TF32 path: FP32 was taken");
  EXPECT_EQ(note_with(Mode::summary,
                      R"({"command": "summary", "totals": {"flop": 1, "coverage_share": 0.5}})"),
            "FLOPs and bytes are of 50.0 % of the operations: the others have no rule");
  EXPECT_EQ(note_with(Mode::measure, R"({"cases": [{"status": "ok", "step_energy_j": 1,
              "limit": {"coverage_share": 1.0}, "warnings": [{"code": "clocks_held_down", "text": "clocks were held down"}, 3],
              "counters": {"totals": {"launches": 138,
                "coverage": {"flop": 0.9927536231884058}}}}]})"),
            "137 of 138 kernels have counted FLOPs: too few for a sum; clocks were held down");
  EXPECT_EQ(note_with(Mode::scale, R"({"series": [{"rows": [
                {"device_count": 1, "run": {"median_s": 2, "samples_per_s": 32}},
                {"device_count": 2, "status": "ok", "run": {"median_s": 1}}]}]})"),
            "its speed-up is against 32 samples/s of one device in the same run");
  EXPECT_EQ(note_with(Mode::fit, R"({"memory_bytes": 8, "points": [{"end_of_range": true,
              "largest": [4], "searched": true, "found": [4], "found_end_of_range": true}]})"),
            "by prediction more fits than the range asked for; more fits on the device than the"
            " range asked for");
}

TEST(StudyCase, OfAPublishedRowIsWhatWasPrinted) {
  Study study;
  study.published.resize(2);
  PublishedRow& row = study.published[1];
  row.source = "a report, table 2";
  row.where = {{"model", "resnet18"}, {"device", "v100"}, {"mode", "profile"}};
  row.values = {{"time", 0.00503}, {"counted_flops", 8.297e9}};
  row.used = {{"peak_flops", 15.7e12}};
  row.remark = "FP32";
  const std::vector plan = {planned(Mode::predict)};
  const std::vector<std::optional<CaseOutcome>> outcomes(1);
  const std::vector<StudyCase> cases = cases_of(study, plan, outcomes);
  ASSERT_EQ(cases.size(), 3U);
  EXPECT_EQ(cases[0].id, "a-case");
  EXPECT_EQ(cases[1].id, "published-1");
  const StudyCase& published = cases[2];
  EXPECT_EQ(published.id, "published-2");
  EXPECT_THAT(published.attributes,
              ElementsAre(Pair("device", "v100"), Pair("mode", "published"),
                          Pair("model", "resnet18"), Pair("source", "a report, table 2")));
  EXPECT_EQ(published.note, "FP32");
  EXPECT_EQ(published.reason, "");
  EXPECT_EQ(published.command, "");
  ASSERT_EQ(published.figures.size(), 2U);  // what they divided by is not a figure
  EXPECT_EQ(published.find("time")->value, 0.00503);
  EXPECT_FALSE(published.find("time")->low.has_value());
  EXPECT_EQ(published.find("counted_flops")->value, 8.297e9);
}

// Cut from what `rooflab probe --only vector_addition -o x.json` wrote.
TEST(CasesOf, AVectorAdditionIsACase) {
  PlannedCase probe;
  probe.id = "addition";
  probe.mode = Mode::probe;
  probe.words = {"probe"};
  probe.attributes = {{"mode", "probe"}, {"device", "h200-sxm"}};
  CaseOutcome outcome;
  outcome.result = Json::parse(R"({"vector_additions": [
    {"launch": "cpu", "memory_kind": "host", "elements": 1000000, "kernel_s": 0.0006,
     "to_device_s": null, "to_host_s": null, "total_s": 0.0006, "correct": true},
    {"launch": "Nx256", "memory_kind": "device", "elements": 1000000, "kernel_s": 1e-5,
     "to_device_s": 0.001, "to_host_s": 0.0005, "total_s": 0.00151, "correct": true},
    {"launch": "1x1", "memory_kind": "device", "elements": 1000000, "kernel_s": 1,
     "total_s": 1, "correct": false}]})");
  Study study;
  study.published = {{"a paper", {}, {{"time", 1.0}}, {}, "", {}}};
  const std::vector<StudyCase> cases =
      cases_of(study, std::vector{probe}, std::vector{std::optional(outcome)});
  ASSERT_EQ(cases.size(), 4U);  // the probe, two sums that are right, the published row
  EXPECT_EQ(cases[2].id, "addition-Nx256-device-1000000");
  EXPECT_EQ(cases[2].attribute("elements"), "1000000");
  EXPECT_EQ(cases[2].attribute("memory"), "device");
  EXPECT_EQ(cases[2].attribute("device"), "h200-sxm");
  EXPECT_EQ(cases[2].find("time")->value, 0.00151);
  EXPECT_EQ(cases[2].find("device_time")->value, 1e-5);
  EXPECT_EQ(cases[3].id, "published-1");
}

}  // namespace
}  // namespace rooflab::study
