#include "study/case_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <functional>
#include <string>

#include "../base/input_error.hpp"
#include "../base/thrown_error.hpp"
#include "describe/json_fields.hpp"
#include "describe/schema.hpp"
#include "rooflab/system/file.hpp"
#include "system/temporary_folder.hpp"

namespace rooflab::study {
namespace {

PlannedCase planned_case() {
  PlannedCase result;
  result.id = "training-resnet18-t4-b1-predict";
  result.words = {"predict", "resnet18", "--device", "t4"};
  return result;
}

/// Every field differs from its default.
CaseOutcome full_outcome() {
  return {.id = "training-resnet18-t4-b1-predict",
          .command = "rooflab predict resnet18 --device t4",
          .version = "0.1.0",
          .exit_code = 2,
          .reason = "a reason \"quoted\"",
          .seconds = 1.0 / 3.0,
          .began = "2026-11-21T14:00:00Z",
          .result = Json::parse(R"({"command": "predict", "cases": [{"limit_time_s": null}]})")};
}

class CaseFile : public testing::Test {
 protected:
  void write(const std::string& text) const {
    std::filesystem::create_directories(folder_.path() / "cases");
    write_file_atomically(outcome_file(folder_.path(), planned_case()), text);
  }
  [[nodiscard]] bool is_there() const {
    return read_outcome(folder_.path(), planned_case()).has_value();
  }

  TemporaryFolder folder_{"case-file"};
};

TEST_F(CaseFile, LiesByIdInTheFolderOfCases) {
  EXPECT_EQ(outcome_file("results", planned_case()),
            std::filesystem::path("results/cases/training-resnet18-t4-b1-predict.json"));
}

TEST_F(CaseFile, IsReadBackAsItWasWritten) {
  write(file_json(full_outcome()).dump());
  const std::optional<CaseOutcome> read = read_outcome(folder_.path(), planned_case());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->id, full_outcome().id);
  EXPECT_EQ(read->command, full_outcome().command);
  EXPECT_EQ(read->version, full_outcome().version);
  EXPECT_EQ(read->exit_code, 2);
  EXPECT_EQ(read->reason, full_outcome().reason);
  EXPECT_EQ(read->seconds, 1.0 / 3.0);
  EXPECT_EQ(read->began, full_outcome().began);
  EXPECT_EQ(read->result, full_outcome().result);
}

TEST_F(CaseFile, MayHoldNoResult) {
  CaseOutcome without = full_outcome();
  without.result = nullptr;
  EXPECT_TRUE(case_outcome_from_json(file_json(without), "x.json").result.is_null());
  Json older = file_json(without);
  older.erase("result");
  EXPECT_TRUE(case_outcome_from_json(older, "x.json").result.is_null());
}

TEST_F(CaseFile, IsNotTheCasesWhenItsCommandWasAnother) {
  write(file_json(full_outcome()).dump());
  ASSERT_TRUE(is_there());
  PlannedCase changed = planned_case();
  changed.words.emplace_back("--strict");
  EXPECT_FALSE(read_outcome(folder_.path(), changed).has_value());
}

TEST_F(CaseFile, ThatCannotBeReadIsNotTakenForMissing) {
  EXPECT_FALSE(is_there());
  const std::string whole = file_json(full_outcome()).dump();
  write(whole);
  ASSERT_TRUE(is_there());
  const std::string name = outcome_file(folder_.path(), planned_case()).string();
  for (const std::string& text : {whole.substr(0, whole.size() / 2), std::string(),
                                  std::string("[1, 2]"), std::string(R"({"kind": "record"})")}) {
    write(text);
    const Error error = thrown_error(ErrorKind::input, [this] { return is_there(); });
    EXPECT_THAT(error.full_message(), testing::StartsWith(name));
    EXPECT_EQ(error.hint(), "delete this file to run the case again");
  }
  std::filesystem::remove(name);
  std::filesystem::create_directory(name);
  EXPECT_EQ(error_of([this] { return is_there(); }),
            "cannot read '" + name + "': it is a directory");
}

std::string error_with(const std::function<void(Json&)>& change) {
  Json json = file_json(full_outcome());
  change(json);
  return error_of([&] { return case_outcome_from_json(json, "cases/a.json"); });
}

TEST_F(CaseFile, NamesTheKeyAtFault) {
  EXPECT_EQ(error_with([](Json& json) { json["schema_version"] = 3; }),
            "cases/a.json: this case of a study has schema version 3, this Rooflab reads 2");
  EXPECT_EQ(error_with([](Json& json) { json["kind"] = "record"; }),
            "cases/a.json: this is not a case of a study of Rooflab");
  EXPECT_EQ(error_with([](Json& json) { json.erase("command_line"); }),
            "cases/a.json: 'command_line' is missing");
  EXPECT_EQ(error_with([](Json& json) { json["reason"] = nullptr; }),
            "cases/a.json: 'reason' is missing");
  EXPECT_EQ(error_with([](Json& json) { json["exit_code"] = 1.5; }),
            "cases/a.json: 'exit_code' must be a whole number");
  EXPECT_EQ(error_with([](Json& json) { json["exit_code"] = 5'000'000'000; }),
            "cases/a.json: 'exit_code' is out of range");
  EXPECT_EQ(error_with([](Json& json) { json["took_s"] = "1"; }),
            "cases/a.json: 'took_s' must be a number");
  EXPECT_EQ(error_with([](Json& json) { json["took_s"] = -1; }),
            "cases/a.json: 'took_s' must be 0 or more");
  EXPECT_EQ(error_with([](Json& json) { json["result"] = Json::array(); }),
            "cases/a.json: 'result' must be an object");
  EXPECT_EQ(error_of([] { return case_outcome_from_json(Json(1), "cases/a.json"); }),
            "cases/a.json: the file must hold a JSON object");
}

}  // namespace
}  // namespace rooflab::study
