#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../analyze/networks.hpp"
#include "../analyze/records.hpp"
#include "../base/note_matchers.hpp"
#include "../page/parts.hpp"
#include "rooflab/report/views.hpp"

namespace rooflab::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

page::Document summary_of(const std::string& model, Phase phase = Phase::inference,
                          std::optional<int> depth = std::nullopt) {
  return summary_report(
      analyze::summarize_network(analyze::scheduled(model, 1, phase), model, depth));
}

TEST(SummaryReport, JsonHasTheKeysOfTheSchema) {
  const Json json = summary_of("resnet18").json;
  EXPECT_THAT(page::keys_of(json), ElementsAre("schema_version", "command", "model", "batch",
                                               "phase", "precision", "totals", "notes", "layers"));
  EXPECT_THAT(
      page::keys_of(json["totals"]),
      ElementsAre("macs", "causal_macs", "flop", "matrix_flop", "vector_flop", "compulsory_bytes",
                  "intensity_flop_per_byte", "forward_flop", "forward_matrix_flop", "forward_bytes",
                  "backward_flop", "backward_matrix_flop", "backward_bytes", "parameters",
                  "parameter_bytes", "input_bytes", "activation_bytes", "torchsummary_pass_bytes",
                  "torchinfo_pass_bytes", "counted_nodes", "computing_nodes", "coverage_share",
                  "uncounted", "saved_activation_bytes", "allocated_peak_bytes"));
  EXPECT_THAT(
      page::keys_of(json["layers"][0]),
      ElementsAre("node", "op", "op_class", "output_shape", "parameters", "macs", "flop",
                  "matrix_flop", "vector_flop", "data_gradient_flop", "weight_gradient_flop",
                  "compulsory_bytes", "intensity_flop_per_byte", "forward_flop",
                  "forward_matrix_flop", "forward_bytes", "backward_flop", "backward_matrix_flop",
                  "backward_bytes", "limit_s", "limit_share", "bound", "predicted_s"));
  EXPECT_EQ(json["schema_version"], 3);
  EXPECT_EQ(json["command"], "summary");
  EXPECT_EQ(json["batch"], 1);
  EXPECT_EQ(json["phase"], "inference");
  EXPECT_TRUE(json["totals"]["uncounted"].empty());
}

TEST(SummaryReport, TotalsAsPublished) {
  const Json totals = summary_of("resnet18").json["totals"];
  EXPECT_EQ(totals["parameters"], 11689512);
  EXPECT_EQ(totals["macs"], 1814073344);
  EXPECT_EQ(totals["matrix_flop"], 2 * 1814073344LL);
  EXPECT_EQ(totals["coverage_share"], 1.0);
  EXPECT_EQ(totals["saved_activation_bytes"], 0);
  EXPECT_EQ(totals["flop"],
            totals["matrix_flop"].get<std::int64_t>() + totals["vector_flop"].get<std::int64_t>());
  EXPECT_DOUBLE_EQ(totals["intensity_flop_per_byte"].get<double>(),
                   totals["flop"].get<double>() / totals["compulsory_bytes"].get<double>());
}

TEST(SummaryReport, CsvSaysWhatJsonSays) {
  for (const Phase phase : {Phase::inference, Phase::training}) {
    const page::Document document = summary_of("resnet18", phase);
    const std::vector<std::vector<std::string>> rows =
        page::read_csv(page::render(document, page::Format::csv));
    const Json& layers = document.json["layers"];
    ASSERT_EQ(rows.size(), layers.size() + 1);
    std::vector<std::string> heads = {"node",
                                      "op",
                                      "output_shape",
                                      "parameters",
                                      "macs",
                                      "matrix_flop",
                                      "vector_flop",
                                      "compulsory_bytes",
                                      "intensity_flop_per_byte"};
    const std::array passes = {"forward_flop", "backward_flop", "forward_bytes", "backward_bytes"};
    const bool trains = phase == Phase::training;
    if (trains) heads.insert(heads.end(), passes.begin(), passes.end());
    EXPECT_EQ(rows[0], heads);
    for (std::size_t i = 0; i < layers.size(); ++i) {
      const std::vector<std::string>& row = rows[i + 1];
      ASSERT_EQ(row.size(), heads.size());
      EXPECT_EQ(row[0], layers[i]["node"].get<std::string>());
      EXPECT_EQ(row[1], layers[i]["op"].get<std::string>());
      const std::array keys = {"parameters", "macs", "matrix_flop", "vector_flop",
                               "compulsory_bytes"};
      for (std::size_t k = 0; k < keys.size(); ++k) {
        EXPECT_EQ(std::stoll(row[3 + k]), layers[i][keys[k]].get<std::int64_t>()) << keys[k];
      }
      EXPECT_EQ(std::stod(row[8]), layers[i]["intensity_flop_per_byte"].get<double>());
      for (std::size_t k = 0; trains && k < passes.size(); ++k) {
        EXPECT_EQ(std::stoll(row[9 + k]), layers[i][passes[k]].get<std::int64_t>()) << passes[k];
      }
    }
  }
}

TEST(SummaryReport, JsonReadsBackAsWritten) {
  const page::Document document = summary_of("alexnet", Phase::training);
  EXPECT_EQ(Json::parse(page::render(document, page::Format::json)), document.json);
}

// While the second ReLU on 2 x 8 floats runs, the input, what it reads and what it writes are
// alive: three tensors of 64 B.
TEST(SummaryReport, TheTableEndsWithTotalsAndTheMemoryOfThePhase) {
  const std::string text = page::render(summary_report(analyze::summarize_network(
                                            schedule::lower(analyze::two_relus(), {}), "relus")),
                                        page::Format::table);
  EXPECT_THAT(text, HasSubstr("\ntotal "));
  EXPECT_THAT(text, HasSubstr("Memory of inference: tensors take 192 B at most;"));
  EXPECT_THAT(text, testing::Not(HasSubstr("Estimated Total Size")));
}

TEST(SummaryReport, TorchsummarysFiguresWhereTheyAreAskedFor) {
  const std::string text = page::render(
      summary_report(analyze::summarize_network(analyze::scheduled("resnet18", 1, Phase::inference),
                                                "resnet18"),
                     {.torchsummary = true}),
      page::Format::table);
  EXPECT_THAT(text, HasSubstr("Input size (MiB): 0.57\n"));
  EXPECT_THAT(text, HasSubstr("Forward/backward pass size (MiB): 62.79 "));
  EXPECT_THAT(text, HasSubstr("Params size (MiB): 44.59\n"));
  EXPECT_THAT(text, HasSubstr("Estimated Total Size (MiB): 107.96\n"));
}

// Published by torchinfo for batch 256.
TEST(SummaryReport, TorchinfosFiguresWhereTheyAreAskedFor) {
  const std::string text = page::render(
      summary_report(analyze::summarize_network(
                         analyze::scheduled("alexnet", 256, Phase::inference), "alexnet"),
                     {.torchinfo = true}),
      page::Format::table);
  EXPECT_THAT(text, HasSubstr("Input size (MB): 154.14\n"));
  EXPECT_THAT(text, HasSubstr("Forward/backward pass size (MB): 1012.09 "));
  EXPECT_THAT(text, HasSubstr("Params size (MB): 244.40\n"));
}

TEST(SummaryReport, DepthKeepsTheTotals) {
  const Json all = summary_of("vit_b_16", Phase::training).json;
  const Json folded = summary_of("vit_b_16", Phase::training, 1).json;
  EXPECT_EQ(all["totals"], folded["totals"]);
  EXPECT_LT(folded["layers"].size(), all["layers"].size());
  std::int64_t macs = 0;
  for (const Json& layer : folded["layers"]) macs += layer["macs"].get<std::int64_t>();
  EXPECT_EQ(folded["totals"]["macs"], macs);
}

TEST(SummaryReport, WhatIsNotCountedIsNull) {
  const page::Document document =
      summary_report(analyze::summarize_network(schedule::lower(analyze::with_unknown_ops(), {}),
                                                "net.onnx", std::nullopt, {sentence("a remark")}));
  const Json& fold = document.json["layers"][1];
  EXPECT_EQ(fold["op"], "Fold");
  for (const char* key : {"macs", "matrix_flop", "vector_flop", "compulsory_bytes",
                          "intensity_flop_per_byte", "forward_flop", "backward_bytes"}) {
    EXPECT_TRUE(fold[key].is_null()) << key;
  }
  EXPECT_EQ(fold["output_shape"], Json::array({1, 4, 8, 8}));
  EXPECT_EQ(document.json["totals"]["uncounted"], Json::parse(R"([{"op": "Fold", "count": 2}])"));
  EXPECT_EQ(document.json["totals"]["coverage_share"], 0.5);
  EXPECT_EQ(document.json["notes"][0]["text"], "a remark");
  const std::string text = page::render(document, page::Format::table);
  EXPECT_THAT(text, HasSubstr("2 x Fold are not counted"));
  EXPECT_THAT(text, HasSubstr("total of what was counted"));
  EXPECT_THAT(text, HasSubstr("Coverage: 2 of 4 nodes counted\n"));
}

TEST(SummaryReport, KeptForBackwardIsSaid) {
  EXPECT_THAT(page::render(summary_of("alexnet", Phase::forward), page::Format::table),
              HasSubstr("Kept for backward after the forward pass: 3.103 MB (2.96 MiB)\n"));
}

}  // namespace
}  // namespace rooflab::report
