#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "describe/schema.hpp"
#include "networks.hpp"
#include "record/record_json.hpp"
#include "records.hpp"
#include "rooflab/analyze/comparison.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"
#include "toy_calibration.hpp"

namespace rooflab::analyze {
namespace {

namespace fs = std::filesystem;

class ComparandFiles : public testing::Test {
 protected:
  void SetUp() override {
    folder_ =
        fs::path(testing::TempDir()) /
        ("comparand-" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path file(const std::string& name, const std::string& text) const {
    write_file_atomically(folder_ / name, text);
    return folder_ / name;
  }

  fs::path folder_;
};

TEST_F(ComparandFiles, ARecord) {
  record::Record record = toy_record({1.0, 2.0, 3.0});
  record.energy_j = 7.0;
  record::write_record(folder_ / "a.json", record);
  const std::vector<Comparand> cases = read_comparands(folder_ / "a.json");
  ASSERT_EQ(cases.size(), 1U);
  EXPECT_TRUE(cases[0].measured);
  EXPECT_DOUBLE_EQ(*cases[0].time_s, 2.0);
  EXPECT_DOUBLE_EQ(*cases[0].time_low_s, 1.0);
  EXPECT_DOUBLE_EQ(*cases[0].time_high_s, 3.0);
  EXPECT_EQ(cases[0].steps_s.size(), 3U);
  EXPECT_EQ(cases[0].device, "cuda:0 (Toy)");
  EXPECT_DOUBLE_EQ(*cases[0].energy_j, 7.0);
  EXPECT_EQ(cases[0].facts.at("libtorch"), "2.0.0");
}

// It says of itself neither batch nor phase, and has no timed step.
TEST_F(ComparandFiles, ARecordingOfAnotherProgramIsNoCase) {
  record::Record record = toy_record({});
  record.timing.reset();
  record.identity.forget();
  record::write_record(folder_ / "a.json", record);
  EXPECT_THROW((void)read_comparands(folder_ / "a.json"), Error);
  record::write_record(folder_ / "b.json", toy_record({1.0}));
  EXPECT_EQ(read_comparands(folder_).size(), 1U);
}

TEST_F(ComparandFiles, AFolderByFileName) {
  record::Record record = toy_record({1.0});
  record.identity.model = "b";
  record::write_record(folder_ / "2.json", record);
  record.identity.model = "a";
  record::write_record(folder_ / "1.json", record);
  (void)file("report.json", R"({"command": "measure", "cases": []})");
  const std::vector<Comparand> cases = read_comparands(folder_);
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_EQ(cases[0].model, "a");
  EXPECT_EQ(cases[1].model, "b");
}

TEST_F(ComparandFiles, APrediction) {
  const std::vector<CaseResult> predicted = {
      case_of("alexnet", "t4", 8, Phase::training, Precision::amp_fp16),
      case_of("alexnet", "v100-sxm2-16gb", 8, Phase::training, Precision::bf16)};
  const std::vector<Comparand> cases =
      read_comparands(file("p.json", command_json("predict", "cases", predicted).dump()));
  ASSERT_EQ(cases.size(), 2U);
  EXPECT_FALSE(cases[0].measured);
  EXPECT_EQ(cases[0].device, "t4");
  EXPECT_EQ(cases[0].phase, Phase::training);
  EXPECT_EQ(cases[0].precision, Precision::amp_fp16);
  ASSERT_TRUE(predicted[0].limit.time && cases[0].time_s);
  EXPECT_DOUBLE_EQ(*cases[0].time_s, predicted[0].limit.time->value);
  EXPECT_FALSE(cases[0].time_low_s);
  EXPECT_EQ(cases[0].allocated_peak, predicted[0].memory.allocated_peak);
  EXPECT_FALSE(cases[1].time_s);  // no peak for bf16
}

// The expected time before PALEO's, that before the limit, as `predict` itself chooses.
TEST_F(ComparandFiles, ThePredictionsMainTime) {
  std::vector<CaseResult> predicted(3, case_of("alexnet", "h200-sxm"));
  const schedule::Schedule network = scheduled("alexnet");
  for (CaseResult* each : {&predicted[0], &predicted[1]}) {
    add_percent_of_peak(*each, network, {0.5, 0.5});
  }
  add_prediction(predicted[0], network, toy_model("h200-sxm", true));
  const std::vector<Comparand> cases =
      read_comparands(file("p.json", command_json("predict", "cases", predicted).dump()));
  ASSERT_EQ(cases.size(), 3U);
  EXPECT_EQ(cases[0].time_of, PredictionModel::calibrated);
  EXPECT_DOUBLE_EQ(*cases[0].time_s, predicted[0].prediction->time.value);
  EXPECT_DOUBLE_EQ(*cases[0].time_low_s, predicted[0].prediction->low.value);
  EXPECT_DOUBLE_EQ(*cases[0].time_high_s, predicted[0].prediction->high.value);
  EXPECT_TRUE(cases[0].has_predicted_interval());
  EXPECT_EQ(cases[0].facts.at("calibration"), "toy");
  EXPECT_EQ(cases[0].facts.at("issued by"), "pytorch");
  EXPECT_EQ(cases[1].time_of, PredictionModel::ppp);
  EXPECT_DOUBLE_EQ(*cases[1].time_s, 2.0 * predicted[1].limit.time->value);
  EXPECT_FALSE(cases[1].has_predicted_interval());
  EXPECT_EQ(cases[2].time_of, PredictionModel::limit);
  EXPECT_DOUBLE_EQ(*cases[2].time_s, predicted[2].limit.time->value);
}

TEST_F(ComparandFiles, WhatCannotBeCompared) {
  const auto message = [](const fs::path& path) -> std::string {
    try {
      (void)read_comparands(path);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::input);
      return error.full_message();
    }
    return "no error";
  };
  using testing::HasSubstr;
  EXPECT_THAT(message(file("x.json", "{}")), HasSubstr("neither the record of a timed case nor"));
  EXPECT_THAT(message(file("l.json", "[1]")), HasSubstr("not a result of Rooflab"));
  EXPECT_THAT(
      message(file("e.json", R"({"schema_version": 3, "command": "measure", "cases": []})")),
      HasSubstr("holds no case"));
  EXPECT_THAT(message(file("b.json", "{")), HasSubstr("b.json"));
  EXPECT_THAT(message(folder_ / "missing.json"), HasSubstr("missing.json"));
  EXPECT_THAT(
      message(file("m.json",
                   R"({"schema_version": 3, "command": "measure", "cases": [{"model": 1}]})")),
      HasSubstr("model"));
}

}  // namespace
}  // namespace rooflab::analyze
