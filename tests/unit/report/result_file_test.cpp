// What the reports write as JSON, read back by analyze: two rooms, so the test is in the higher
// one.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../analyze/counted_records.hpp"
#include "../analyze/networks.hpp"
#include "../analyze/records.hpp"
#include "../analyze/toy_calibration.hpp"
#include "../base/input_error.hpp"
#include "../base/note_matchers.hpp"
#include "../record/equal_fields.hpp"
#include "../training/training_runs.hpp"
#include "describe/json_fields.hpp"
#include "describe/schema.hpp"
#include "notes/analyze_notes.hpp"
#include "rooflab/analyze/result_set.hpp"
#include "rooflab/report/views.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::analyze {
namespace {

using testing::Contains;
using testing::HasSubstr;

TEST(ResultFile, PredictionsReadBackAsTheyWerePredicted) {
  const std::vector<CaseResult> written = {case_of("resnet18", "t4", 2, Phase::training),
                                           case_of("alexnet", "h200-sxm", 1, Phase::inference)};
  const Json json = report::predict_view(written).json;
  const std::vector<CaseResult> read =
      predictions_from_json(json, "p.json", device::Catalog::built_in());
  ASSERT_EQ(read.size(), 2U);
  EXPECT_EQ(read[0].device.name, written[0].device.name);
  EXPECT_EQ(read[0].limit.time, written[0].limit.time);
  EXPECT_EQ(read[0].limit.flops_by_path, written[0].limit.flops_by_path);
  EXPECT_EQ(read[0].limit.main_path, written[0].limit.main_path);
  EXPECT_EQ(read[0].count.coverage(), written[0].count.coverage());
  EXPECT_EQ(read[0].memory.total, written[0].memory.total);
  EXPECT_EQ(read[0].memory.unknown, written[0].memory.unknown);
  ASSERT_EQ(read[0].layers.size(), written[0].layers.size());
  EXPECT_EQ(read[0].layers[3].output_shape, written[0].layers[3].output_shape);
  EXPECT_EQ(read[0].layers[3].weight_gradient_flops, written[0].layers[3].weight_gradient_flops);
  // Nothing is left out: what is written again is the same.
  EXPECT_EQ(report::predict_view(read).json, json);
}

TEST(ResultFile, PredictedTimesReadBack) {
  const schedule::Schedule network = scheduled("alexnet", 2);
  std::vector<CaseResult> written;
  for (const bool with_host : {true, false}) {
    const CalibratedModel model = toy_model("h200-sxm", with_host);
    CaseResult result = case_of(network, model.times.target());
    add_percent_of_peak(result, network, {0.5, 0.75});
    if (!with_host) result.memory.most_total = result.memory.total + Bytes(1);
    written.push_back(result);
    add_prediction(result, network, model);
    written.push_back(std::move(result));
  }
  const Json json = report::predict_view(written).json;
  const std::vector<CaseResult> read =
      predictions_from_json(json, "p.json", device::Catalog::built_in());
  ASSERT_EQ(read.size(), 4U);
  EXPECT_EQ(read[0].prediction_model, PredictionModel::ppp);
  EXPECT_EQ(read[1].predicted_time(), written[1].predicted_time());
  EXPECT_EQ(read[1].issued_by, "pytorch");
  EXPECT_EQ(report::predict_view(read).json, json);
}

TEST(ResultFile, AResultOfANewerProgramIsNotRead) {
  EXPECT_THAT(error_of([] {
                return predictions_from_json(Json::parse(R"({"schema_version": 4, "cases": []})"),
                                             "p.json");
              }),
              HasSubstr("schema version 4"));
}

TEST(ResultFile, APredictionForAnUnknownDeviceKeepsItsFiguresWithoutRoofs) {
  const std::vector<CaseResult> written = {case_of("alexnet", "t4", 1, Phase::inference)};
  Json json = report::predict_view(written).json;
  json["cases"][0]["device"] = "my-gpu";
  const CaseResult read =
      predictions_from_json(json, "p.json", device::Catalog::built_in()).front();
  EXPECT_EQ(read.device.id, "my-gpu");
  EXPECT_FALSE(read.device.bandwidth);
  EXPECT_EQ(read.limit.time, written[0].limit.time);
  EXPECT_THAT(read.notes, Contains(Note{analyze::says.roofs_unknown, {"my-gpu"}}));
}

TEST(ResultFile, AFaultInAPredictionIsNamed) {
  const std::vector<CaseResult> written = {case_of("alexnet", "t4", 1, Phase::inference)};
  const auto error_after = [&](auto change) {
    Json json = report::predict_view(written).json;
    change(json["cases"][0]);
    return error_of(
        [&] { return predictions_from_json(json, "p.json", device::Catalog::built_in()); });
  };
  EXPECT_EQ(error_after([](Json& one) { one.erase("macs"); }),
            "p.json: 'cases[0].macs' is missing");
  EXPECT_EQ(error_after([](Json& one) { one["bound"] = "network"; }),
            "p.json: 'cases[0].bound' must be one of none, memory, compute");
  EXPECT_EQ(error_after([](Json& one) { one["layers"][1]["output_shape"] = {"a"}; }),
            "p.json: 'cases[0].layers[1].output_shape[0]' must be a whole number");
}

TEST(ResultFile, MeasurementsReadBackAsTheirRecords) {
  record::Record record = toy_record({1.0, 1.5, 1.25});
  record.memory = record::MemoryUse{.allocated_peak = Bytes(100), .saved = Bytes(7)};
  record.energy_j = 2.5;
  record.layers = record::LayerTimes{.nodes = {{"fc", "linear", 0.5, 0.25, 0.6, 12}},
                                     .repetitions = 3,
                                     .sum_s = 0.75,
                                     .whole_s = 0.8,
                                     .synchronized_sum_s = 0.6,
                                     .forward_whole_s = 0.55};
  record.warnings = {sentence("the clock fell")};
  const std::vector<MeasuredCase> cases = {measured_case_of(record, toy_catalog())};
  const Json json = report::measure_view(cases, "").json;
  const std::vector<record::Record> read = measurements_from_json(json, "m.json");
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(read[0].identity, record.identity);
  EXPECT_EQ(read[0].environment, record.environment);
  EXPECT_EQ(read[0].timing, record.timing);
  EXPECT_EQ(read[0].memory, record.memory);
  EXPECT_EQ(read[0].energy_j, record.energy_j);
  EXPECT_EQ(read[0].layers, record.layers);
  // Suspicions that the steps raise are among the file's warnings, and are not raised twice.
  const MeasuredCase again = measured_case_of(read[0], toy_catalog());
  EXPECT_EQ(again.warnings, cases[0].warnings);
}

// Kernels are not in the file; what was counted of their layers is.
TEST(ResultFile, CountedLayersReadBack) {
  const std::vector<MeasuredCase> cases = {
      measured_case_of(counted_example(), device::Catalog::built_in(), counted_device())};
  const Json json = report::measure_view(cases, "").json;
  const std::vector<MeasuredCase> read =
      measured_cases_from_json(json, "m.json", device::Catalog::built_in(), counted_device());
  ASSERT_EQ(read.size(), 1U);
  ASSERT_TRUE(read[0].counted);
  EXPECT_EQ(to_json(*read[0].counted).dump(1), to_json(*cases[0].counted).dump(1));
  const CountedLayer& conv = read[0].counted->layers.front();
  EXPECT_EQ(conv.name, "conv");
  EXPECT_EQ(conv.sums.at(record::KernelFigure::tensor_flops), 245'366'784.0);
  EXPECT_EQ(conv.sums.at(record::KernelFigure::dram_bytes), 5'400'000.0);
  EXPECT_EQ(conv.sums.at(record::KernelFigure::l2_bytes), 13'000'000.0);
  // The same tables, and the same points.
  EXPECT_EQ(report::counted_layer_table(read[0]).rows.size(),
            report::counted_layer_table(cases[0]).rows.size());
  const RooflineSeries points = counted_series(*read[0].counted, "net");
  ASSERT_EQ(points.points.size(), counted_series(*cases[0].counted, "net").points.size());
  EXPECT_TRUE(points.paths.contains(ArithmeticPath::tf32_tensor));
}

TEST(ResultFile, TrainingsReadBackWithTheirNames) {
  std::vector<training::NamedTraining> written = {
      {"run-1", training::training_run(1, {0.5, 0.92}, 0.9)},
      {"run-2", training::training_run(2, {0.5, 0.7}, 0.9)}};
  written[1].run.samples = {{.device = "cuda:0", .name = "GPU", .samples = {{.time_s = 1.5}}}};
  const Json json = report::training_view(training::summarize_training(written)).json;
  const std::vector<training::NamedTraining> read = trainings_from_json(json, "t.json");
  ASSERT_EQ(read.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(read[i].name, written[i].name);
    EXPECT_EQ(read[i].run, written[i].run);
  }
  EXPECT_EQ(report::training_view(training::summarize_training(read)).json, json);
}

TEST(ResultFile, TrainingsThatAreNoneSayWhere) {
  const auto error = [](std::string_view text) {
    return error_of([&] { (void)trainings_from_json(Json::parse(text), "t.json"); });
  };
  EXPECT_THAT(error(R"({"runs": []})"), HasSubstr("this is not a result of training"));
  const auto head = [](const std::string& runs) {
    return R"({"schema_version": 3, "command": "train", "runs": )" + runs + "}";
  };
  EXPECT_THAT(error(head("1")), HasSubstr("'runs' must be a list"));
  EXPECT_THAT(error(head("[{}]")), HasSubstr("'runs[0].run_name' is missing"));
  EXPECT_THAT(error(head(R"([{"run_name": "run-1"}])")), HasSubstr("'runs[0].identity' is missing"));
}

}  // namespace
}  // namespace rooflab::analyze
