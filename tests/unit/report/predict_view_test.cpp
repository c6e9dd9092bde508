#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "../analyze/networks.hpp"
#include "../analyze/toy_calibration.hpp"
#include "../base/note_matchers.hpp"
#include "../page/parts.hpp"
#include "notes/predict_notes.hpp"
#include "page/row_table.hpp"
#include "../page/parts.hpp"
#include "report/page_parts.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using analyze::case_of;
using analyze::CaseResult;
using testing::ElementsAre;
using testing::HasSubstr;

CaseResult predicted_alexnet(bool with_host = false) {
  const schedule::Schedule network = analyze::scheduled("alexnet");
  const analyze::CalibratedModel model = analyze::toy_model("h200-sxm", with_host);
  CaseResult result = case_of(network, model.times.target());
  analyze::add_percent_of_peak(result, network, {0.5, 1.0});
  analyze::add_prediction(result, network, model);
  return result;
}

std::vector<std::string> titles_of(const page::Table& table) {
  std::vector<std::string> titles;
  for (const page::Column& column : table.columns) {
    if (!column.only_in_csv) titles.push_back(column.title);
  }
  return titles;
}

TEST(PredictView, JsonHasTheKeysOfTheSchema) {
  const std::vector<CaseResult> cases = {case_of("resnet18", "t4", 1, Phase::training)};
  const Json json = predict_view(cases).json;
  EXPECT_THAT(page::keys_of(json), ElementsAre("schema_version", "command", "cases", "findings"));
  EXPECT_EQ(json["command"], "predict");
  ASSERT_EQ(json["cases"].size(), 1U);
  const Json& one = json["cases"][0];
  EXPECT_THAT(
      page::keys_of(one),
      ElementsAre("model", "device", "batch", "phase", "precision", "rewrite", "limit_s", "ideal_s",
                  "bound", "ridge_point_flop_per_byte", "arithmetic_path", "macs", "causal_macs",
                  "flop", "matrix_flop", "vector_flop", "compulsory_bytes",
                  "intensity_flop_per_byte", "forward_flop", "forward_matrix_flop", "forward_bytes",
                  "backward_flop", "backward_matrix_flop", "backward_bytes", "path_flop",
                  "ideal_bytes", "prediction_model", "prediction", "predicted_s", "predicted_low_s",
                  "predicted_high_s", "samples_per_s", "predicted_from", "issued_by", "calibration",
                  "ppp_s", "ppp", "memory", "device_memory_bytes", "verdict", "margin_share",
                  "parameters", "parameter_bytes", "input_bytes", "activation_bytes",
                  "torchsummary_pass_bytes", "torchinfo_pass_bytes", "counted_nodes",
                  "computing_nodes", "coverage_share", "uncounted", "notes", "command_line",
                  "layers"));
  EXPECT_THAT(
      page::keys_of(one["memory"]),
      ElementsAre("parameter_bytes", "buffer_bytes", "gradient_bytes", "optimizer_bytes",
                  "input_bytes", "saved_activation_bytes", "peak_activation_bytes",
                  "workspace_bytes", "allocated_peak_bytes", "reserved_peak_bytes", "context_bytes",
                  "total_bytes", "most_total_bytes", "least_total_bytes", "assumed", "unknown"));
  EXPECT_THAT(
      page::keys_of(one["layers"][0]),
      ElementsAre("node", "op", "op_class", "output_shape", "parameters", "macs", "flop",
                  "matrix_flop", "vector_flop", "data_gradient_flop", "weight_gradient_flop",
                  "compulsory_bytes", "intensity_flop_per_byte", "forward_flop",
                  "forward_matrix_flop", "forward_bytes", "backward_flop", "backward_matrix_flop",
                  "backward_bytes", "limit_s", "limit_share", "bound", "predicted_s"));
}

TEST(PredictView, FiguresOfATrainingStepByHand) {
  const std::vector<CaseResult> cases = {case_of("resnet18", "t4", 1, Phase::training)};
  const Json one = predict_view(cases).json["cases"][0];
  EXPECT_EQ(one["device"], "t4");
  EXPECT_EQ(one["parameters"], 11689512);
  EXPECT_EQ(one["memory"]["parameter_bytes"], 4 * 11689512);
  EXPECT_EQ(one["memory"]["gradient_bytes"], 4 * 11689512);
  EXPECT_EQ(one["memory"]["optimizer_bytes"], 4 * 11689512);  // momentum
  EXPECT_EQ(one["device_memory_bytes"], 16000000000);
  EXPECT_EQ(one["arithmetic_path"], "fp32_vector");
  EXPECT_DOUBLE_EQ(one["ridge_point_flop_per_byte"].get<double>(), 8.1e12 / 320e9);
  EXPECT_TRUE(one["memory"]["workspace_bytes"].is_null());
  EXPECT_TRUE(one["memory"]["context_bytes"].is_null());
  EXPECT_THAT(one["memory"]["unknown"].get<std::vector<std::string>>(),
              testing::UnorderedElementsAre("workspace", "context"));
  EXPECT_EQ(one["verdict"], "risky");
}

TEST(PredictView, CsvSaysWhatJsonSays) {
  const std::vector<CaseResult> cases = {
      case_of("resnet18", "t4"), case_of("alexnet", "a100-sxm4-40gb", 4, Phase::training),
      case_of("alexnet", "t4", 1, Phase::inference, Precision::bf16), predicted_alexnet()};
  const page::Document document = predict_view(cases);
  const std::vector<std::vector<std::string>> rows =
      page::read_csv(page::render(document, page::Format::csv));
  ASSERT_EQ(rows.size(), 5U);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const Json& one = document.json["cases"][i];
    for (std::size_t column = 0; column < rows[0].size(); ++column) {
      const std::string& key = rows[0][column];
      Json expected;
      if (key == "saved_activation_bytes" || key == "total_bytes") {
        expected = one["memory"][key];
      } else {
        ASSERT_TRUE(one.contains(key)) << key;
        expected = one[key];
      }
      const std::string& field = rows[i + 1][column];
      if (expected.is_null()) {
        EXPECT_EQ(field, "") << key;
      } else if (expected.is_string()) {
        EXPECT_EQ(field, expected.get<std::string>()) << key;
      } else {
        EXPECT_EQ(std::stod(field), expected.get<double>()) << key;
      }
    }
  }
}

TEST(PredictView, WithoutALimitFiguresAreNullWithAReason) {
  const std::vector<CaseResult> cases = {
      case_of("resnet18", "v100-sxm2-16gb", 1, Phase::inference, Precision::bf16)};
  const page::Document document = predict_view(cases);
  const Json& one = document.json["cases"][0];
  for (const char* key :
       {"limit_s", "ideal_s", "bound", "ridge_point_flop_per_byte", "arithmetic_path"}) {
    EXPECT_TRUE(one[key].is_null()) << key;
  }
  EXPECT_TRUE(one["layers"][0]["limit_s"].is_null());
  EXPECT_TRUE(one["layers"][0]["bound"].is_null());
  EXPECT_EQ(one["macs"], 1814073344);
  EXPECT_EQ(one["notes"][0]["code"], "limit_lacks");
  EXPECT_THAT(page::render(document, page::Format::table),
              HasSubstr("no limit: Tesla V100 SXM2 16GB has no peak for bf16 work"));
}

TEST(PredictView, GradientsOfAnUncountedLayerAreNull) {
  const std::vector<CaseResult> cases = {case_of(schedule::lower(analyze::with_unknown_ops(), {}),
                                                 device::Catalog::built_in().find("t4"))};
  const Json one = predict_view(cases).json["cases"][0];
  const Json& fold = one["layers"][1];
  for (const char* key : {"macs", "compulsory_bytes", "data_gradient_flop", "weight_gradient_flop",
                          "limit_s", "bound"}) {
    EXPECT_TRUE(fold[key].is_null()) << key;
  }
  EXPECT_EQ(one["coverage_share"], 0.5);
  EXPECT_THAT(page::render(predict_view(cases), page::Format::table), HasSubstr("50.0 %"));
  EXPECT_EQ(one["uncounted"], Json::parse(R"([{"op": "Fold", "count": 2}])"));
}

TEST(PredictView, ANoteThatHoldsForSeveralCasesIsSaidOnce) {
  const std::vector<CaseResult> cases = {
      case_of("resnet18", "t4", 1, Phase::inference, Precision::tf32),
      case_of("resnet18", "t4", 2, Phase::inference, Precision::tf32)};
  const std::string text = page::render(predict_view(cases), page::Format::table);
  const std::string note = "resnet18: Tesla T4 has no TF32 units: FP32 is used instead";
  EXPECT_EQ(text.find(note), text.rfind(note));
  EXPECT_NE(text.find(note), std::string::npos);
}

TEST(PredictView, LayerTableHasALineALayer) {
  const CaseResult result = case_of("alexnet", "t4", 1, Phase::training);
  const page::Table table = layer_limit_table(result);
  EXPECT_EQ(table.rows.size(), result.layers.size());
  for (const std::vector<page::Cell>& row : table.rows) EXPECT_EQ(row.size(), table.columns.size());
}

TEST(PredictView, WithoutAPredictionItsKeysAreNullAndItsColumnsNotShown) {
  const std::vector<CaseResult> cases = {case_of("alexnet", "t4")};
  const page::Document document = predict_view(cases);
  const Json& one = document.json["cases"][0];
  EXPECT_EQ(one["prediction_model"], "limit");
  for (const char* key :
       {"predicted_s", "predicted_low_s", "predicted_high_s", "calibration", "prediction"}) {
    EXPECT_TRUE(one[key].is_null()) << key;
  }
  EXPECT_TRUE(one["layers"][0]["predicted_s"].is_null());
  EXPECT_THAT(titles_of(*document.text_tables()[0]), testing::Not(testing::Contains("predicted")));
  EXPECT_THAT(titles_of(layer_limit_table(cases[0])), testing::Not(testing::Contains("predicted")));
  EXPECT_FALSE(explain_table(cases[0]));
}

// AlexNet has five convolutions of 100 us in the toy calibration.
// The same network on the same device in two phases are two cases.
TEST(PredictView, TitlesOfCasesTellPhaseAndPrecision) {
  CaseResult result = predicted_alexnet();
  const std::string inference = case_title(result);
  EXPECT_THAT(inference, testing::EndsWith(", inference, fp32"));
  result.phase = Phase::training;
  EXPECT_NE(case_title(result), inference);
}

TEST(PredictView, APredictionIsShownWithItsIntervalAndExplained) {
  const std::vector<CaseResult> cases = {predicted_alexnet()};
  const page::Document document = predict_view(cases);
  const Json& one = document.json["cases"][0];
  EXPECT_EQ(one["prediction_model"], "calibrated");
  EXPECT_EQ(one["calibration"],
            Json::parse(R"({"id": "toy", "device": "h200-sxm", "relation": "own"})"));
  EXPECT_TRUE(one["prediction"]["predicted_host_s"].is_null());
  EXPECT_EQ(one["ppp"], Json::parse(R"({"compute_share": 0.5, "bandwidth_share": 1.0})"));
  EXPECT_LT(one["predicted_low_s"].get<double>(), one["predicted_s"].get<double>());
  EXPECT_GT(one["predicted_high_s"].get<double>(), one["predicted_s"].get<double>());
  const Json& kind = one["prediction"]["kinds"][0];
  EXPECT_EQ(kind["kind"], "conv2d.forward.fp32.nchw");
  EXPECT_EQ(kind["ops"], 5);
  EXPECT_NEAR(kind["time_s"].get<double>(), 500e-6, 1e-12);
  EXPECT_EQ(kind["evidence"], "measured kind");
  EXPECT_NEAR(one["layers"][0]["predicted_s"].get<double>(), 104e-6, 1e-12);
  const std::vector<std::string> titles = titles_of(*document.text_tables()[0]);
  for (const char* title : {"predicted", "low", "high", "ppp"}) {
    EXPECT_THAT(titles, testing::Contains(title));
  }
  EXPECT_THAT(document.text_notes(),
              testing::Contains("ppp: each op at 50 % of the arithmetic peak and 100 % of the"
                                " bandwidth, summed (PALEO)."));
}

// Of two networks on two devices: what all share, what one device's share, what is of one case.
TEST(PredictView, NotesOfPredictionsNameWhomTheyAreAbout) {
  std::vector<CaseResult> cases(4, predicted_alexnet());
  cases[1].model = cases[3].model = "vgg16";
  cases[2].device.id = cases[3].device.id = "t4";
  for (CaseResult& each : cases) each.prediction->notes = {sentence("of all")};
  for (CaseResult* each : {&cases[2], &cases[3]})
    each->prediction->notes.push_back(sentence("of one"));
  cases[1].prediction->notes.push_back(sentence("of a case"));
  using testing::Contains;
  const page::Remarks notes = predict_view(cases).text_notes();
  EXPECT_THAT(notes, Contains("h200-sxm, t4: of all"));
  EXPECT_THAT(notes, Contains("t4: of one"));
  EXPECT_THAT(notes, Contains("vgg16 on h200-sxm: of a case"));
  EXPECT_EQ(
      std::ranges::count_if(notes, [](const auto& each) { return each.text.ends_with("of all"); }),
      1);
  EXPECT_THAT(predict_view({&cases[2], 1}).text_notes(), Contains("alexnet on t4: of one"));
}

// Where the devices' times come from is a column; the title says what is the same for all.
TEST(PredictView, ATimeThatIsCarriedOverSaysFromWhere) {
  std::vector<CaseResult> cases(2, predicted_alexnet());
  cases[1].device.id = "t4";
  cases[1].prediction->notes = {
      {predict::says.carried_over, {std::vector<std::string>{"h200-sxm", "p4"}}}};
  cases[1].prediction->kinds = {{.kind = "conv2d", .device = "t4", .time_s = 2e-3},
                                {.kind = "linear", .device = "p4", .time_s = 6e-4},
                                {.kind = "relu", .device = "h200-sxm", .time_s = 5e-4},
                                {.kind = "copy", .device = "p4", .time_s = 1e-4}};
  page::Table table = *predict_view(cases).text_tables()[0];
  EXPECT_EQ(page::cell_at(table, 0, "predicted_from").text, "measured");
  EXPECT_EQ(page::cell_at(table, 1, "predicted_from").text, "p4");
  EXPECT_THAT(predict_view(cases).text_notes(),
              testing::Not(testing::Contains(HasSubstr("carried over"))));
  EXPECT_THAT(predict_view({&cases[1], 1}).text_tables()[0]->title,
              testing::EndsWith("fp32, carried over from p4"));
  // Where all were measured, nothing is said.
  EXPECT_THAT(titles_of(*predict_view({cases.data(), 1}).text_tables()[0]),
              testing::Not(testing::Contains("from")));
}

// What is of the network alone leaves the terminal to the prediction; files have it.
TEST(PredictView, APredictionFitsATerminal) {
  const std::vector<CaseResult> cases = {predicted_alexnet()};
  const page::Document document = predict_view(cases);
  const std::string text = page::render(document, page::Format::table, {.width = 100});
  EXPECT_THAT(text, HasSubstr("predicted"));
  EXPECT_THAT(text, testing::Not(HasSubstr("FLOP/B")));
  for (const std::string& line : split(text, '\n')) {
    EXPECT_LE(line.size(), 100U) << line;
  }
  EXPECT_THAT(page::render(document, page::Format::markdown), HasSubstr("FLOP/B"));
  const std::vector<CaseResult> bound = {case_of("alexnet", "t4")};
  EXPECT_THAT(page::render(predict_view(bound), page::Format::table), HasSubstr("FLOP/B"));
}

TEST(PredictView, TheExplanationEndsWithTheSums) {
  const std::optional<page::Table> table = explain_table(predicted_alexnet(true));
  ASSERT_TRUE(table);
  EXPECT_EQ(table->rows[0][0].text, "conv2d.forward.fp32.nchw");
  EXPECT_EQ(table->rows[0][2].text, "500 us");
  EXPECT_EQ(table->rows[0].back().text, "h200-sxm");
  ASSERT_EQ(table->totals.size(), 3U);
  EXPECT_EQ(table->totals[1][5].text, "pytorch");
  EXPECT_THAT(table->totals[2][5].text, HasSubstr(" to "));
  for (const auto& row : table->rows) EXPECT_EQ(row.size(), table->columns.size());
  for (const auto& row : table->totals) EXPECT_EQ(row.size(), table->columns.size());
}

TEST(PredictView, ThePercentOfPeakAloneIsTheMainTime) {
  const schedule::Schedule network = analyze::scheduled("alexnet");
  CaseResult result = case_of(network, device::Catalog::built_in().find("t4"));
  analyze::add_percent_of_peak(result, network, {0.5, 0.5});
  const page::Document document = predict_view({&result, 1});
  const Json& one = document.json["cases"][0];
  EXPECT_EQ(one["prediction_model"], "ppp");
  EXPECT_DOUBLE_EQ(one["predicted_s"].get<double>(), 2.0 * one["limit_s"].get<double>());
  EXPECT_EQ(one["ppp_s"], one["predicted_s"]);
  EXPECT_TRUE(one["predicted_low_s"].is_null());
  EXPECT_THAT(titles_of(*document.text_tables()[0]), testing::Not(testing::Contains("ppp")));
}

}  // namespace
}  // namespace rooflab::report
