// The law of flags: one that asks for another size, phase or precision changes the answer or is
// refused, for every kind of input. A new setting is tried from its first day.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <optional>

#include "base/format.hpp"
#include "cli/commands.hpp"
#include "cli/program.hpp"
#include "describe/parameter_list.hpp"
#include "rooflab/base/json.hpp"
#include "rooflab/task/network.hpp"

namespace rooflab::cli {
namespace {

using Words = std::vector<std::string>;

std::string data_file(std::string_view name) {
  return format("{}/tests/data/{}", ROOFLAB_SOURCE_DIR, name);
}

/// Every kind of input that a network can come from.
std::map<std::string, Words> inputs() {
  return {
      {"built-in", {"alexnet"}},
      {"ONNX", {data_file("cli/fixed_batch.onnx")}},
      {"ONNX with open dimensions", {data_file("cli/symbolic_dims.onnx"), "--dim", "sequence=16"}},
      {"ONNX in FP64", {data_file("cli/fp64_matmul.onnx")}},
      {"ONNX in INT8", {data_file("cli/int8_matmul.onnx")}},
      {"recording of training", {data_file("recordings/small-b4-train.rec.jsonl.gz")}},
      {"recording of inference", {data_file("recordings/small-b4-inference.rec.jsonl.gz")}},
      {"recording of a decode step", {data_file("recordings/decode-b2-c24.rec.jsonl.gz")}},
      {"layer of images", {"--layer", "conv2d(3,8,k=3)", "--input", "2x3x16x16"}},
      {"layer of rows", {"--layer", "linear(8,8)", "--input", "2x8"}},
      {"layer without parameters", {"--layer", "relu", "--input", "2x8"}},
  };
}

/// Values to try; those of an enumeration are all tried.
Words values_of(const Parameter& parameter) {
  if (parameter.is_switch()) return {""};
  if (!parameter.offered().empty()) return parameter.offered();
  static const std::map<std::string, Words> known = {
      {"dim", {"sequence=9", "nothing=9"}},
      {"recorded",
       {data_file("recordings/small-b8-inference.rec.jsonl.gz"),
        data_file("recordings/decode-b4-c24.rec.jsonl.gz")}},
      {"variant", {"cifar", "bn"}},
      {"image_size", {"96"}},
      {"context", {"31"}},
      {"batch", {"6"}},
  };
  const auto found = known.find(parameter.key);
  if (found != known.end()) return found->second;
  ADD_FAILURE() << "no value to try for " << parameter.flag();
  return {};
}

/// The JSON without what repeats the command line, and without times of the run itself.
Json without_commands(const Json& json) {
  if (json.is_array()) {
    Json list = Json::array();
    for (const Json& each : json) list.push_back(without_commands(each));
    return list;
  }
  if (!json.is_object()) return json;
  Json object = Json::object();
  for (const auto& [key, value] : json.items()) {
    if (!key.starts_with("command")) object[key] = without_commands(value);
  }
  return object;
}

struct Answer {
  int exit_code = 0;
  std::string said;
  Json json;
};

Answer answer_of(const Words& words) {
  ::testing::internal::CaptureStdout();
  ::testing::internal::CaptureStderr();
  Answer answer;
  answer.exit_code = run_program(all_commands(), words);
  const std::string printed = ::testing::internal::GetCapturedStdout();
  answer.said = ::testing::internal::GetCapturedStderr();
  if (answer.exit_code < 2) answer.json = without_commands(Json::parse(printed));
  return answer;
}

/// Whether the answer says that it is of this value already: asking for it changes nothing.
bool is_said(const Json& json, const std::string& key, const std::string& value) {
  if (json.is_object() && json.contains(key) && json.at(key).is_string() &&
      json.at(key).text() == value) {
    return true;
  }
  if (!json.is_array() && !json.is_object()) return false;
  return std::ranges::any_of(json, [&](const Json& each) { return is_said(each, key, value); });
}

/// What is asked for without being said, so that asking again changes nothing.
bool is_usual(const Parameter& parameter, const std::string& value) {
  return parameter.key == "optimizer" && value == name_of(task::usual_optimizer);
}

void expect_effect(const Words& command, const std::string& input, const Words& base) {
  const Answer usual = answer_of(base);
  ASSERT_LT(usual.exit_code, 2) << usual.said;
  for (const Parameter& each : parameters_of(For<task::NetworkSettings>{})) {
    if (std::ranges::find(base, each.flag()) != base.end()) continue;
    for (const std::string& value : values_of(each)) {
      SCOPED_TRACE(format("{} of {}: {} {}", command.front(), input, each.flag(), value));
      Words words = base;
      words.push_back(each.flag());
      if (!value.empty()) words.push_back(value);
      const Answer asked = answer_of(words);
      if (asked.exit_code >= 2) {
        EXPECT_EQ(asked.exit_code, 2) << asked.said;
        EXPECT_THAT(asked.said, ::testing::HasSubstr("hint: "));
        continue;
      }
      const bool asks_for_the_same = is_said(usual.json, each.key, value) || is_usual(each, value);
      if (!asks_for_the_same) EXPECT_NE(asked.json, usual.json);
    }
  }
}

void expect_law(const Words& command) {
  for (const auto& [input, words] : inputs()) {
    Words base = command;
    base.insert(base.end(), words.begin(), words.end());
    base.insert(base.end(), {"--format", "json"});
    expect_effect(command, input, base);
  }
}

TEST(FlagEffect, EverySettingOfSummaryChangesItOrIsRefused) { expect_law({"summary"}); }

TEST(FlagEffect, EverySettingOfPredictChangesItOrIsRefused) {
  expect_law({"predict", "--device", "h200"});
}

}  // namespace
}  // namespace rooflab::cli
