#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/input_error.hpp"
#include "study/study.hpp"

namespace rooflab::study {
namespace {

using testing::ElementsAre;
using testing::Pair;

constexpr std::string_view whole = R"toml(title = "Two networks"
question = "Which?"
about = "Because."

[variables]
batch = 4
data = "cifar10:here"

[[cases]]
name = "forward"
mode = ["predict", "measure"]
model = ["resnet18", "alexnet"]
device = "t4"
batch = [1, "${batch}"]
vary = { image-size = [224, 288] }
options = { channels-last = true, cudnn-benchmark = false, iterations = 3, data = "${data}" }
arguments = ["--no-layers"]

[[hypotheses]]
text = "ResNet-18 takes longer"
check = "time(resnet18) > time(alexnet)"

[[published]]
source = "a paper"
where = { model = "resnet18", batch = 1 }
values = { time = 0.5, flops = 3 }
used = { peak_flops = 1e12 }
remark = "as printed"

[[tables]]
title = "Times"
where = { mode = "predict" }
values = ["time", "memory"]
beside = "device"

[[charts]]
kind = "lines"
y = "time"
x = "batch"
log_y = true
)toml";

Study read(std::string_view text, const Variables& given = {}) {
  return read_study(text, "dir/a.toml", given);
}

std::string error_in(std::string_view text) {
  return error_of([&] { return read(text); });
}

std::vector<std::string> values_of(const Factor& factor) {
  std::vector<std::string> values;
  for (const PlacedValue& each : factor.values) values.push_back(each.value);
  return values;
}

TEST(StudyReader, ReadsEveryPart) {
  const Study study = read(whole);
  EXPECT_EQ(study.title, "Two networks");
  EXPECT_EQ(study.question, "Which?");
  ASSERT_EQ(study.groups.size(), 1U);
  const CaseGroup& group = study.groups.front();
  EXPECT_THAT(group.modes, ElementsAre(Mode::predict, Mode::measure));
  ASSERT_EQ(group.factors.size(), 4U);
  EXPECT_EQ(group.factors[0].key, "model");
  EXPECT_EQ(group.factors[2].key, "batch");
  EXPECT_THAT(values_of(group.factors[2]), ElementsAre("1", "4"));
  EXPECT_EQ(group.factors[3].key, "image-size");
  EXPECT_EQ(group.factors[0].values[1].place.to_string(), "dir/a.toml:12:22");
  ASSERT_EQ(group.options.size(), 3U);
  EXPECT_EQ(group.options[0].key, "channels-last");
  EXPECT_EQ(group.options[0].value, "");
  EXPECT_EQ(group.options[1].value, "3");
  EXPECT_EQ(group.options[2].value, "cifar10:here");
  EXPECT_THAT(group.arguments, ElementsAre("--no-layers"));
  ASSERT_EQ(study.hypotheses.size(), 1U);
  EXPECT_EQ(study.hypotheses[0].name, "h1");
  ASSERT_EQ(study.published.size(), 1U);
  EXPECT_THAT(study.published[0].where, ElementsAre(Pair("batch", "1"), Pair("model", "resnet18")));
  EXPECT_THAT(study.published[0].values, ElementsAre(Pair("flops", 3.0), Pair("time", 0.5)));
  EXPECT_EQ(study.published[0].used.at("peak_flops"), 1e12);
  ASSERT_EQ(study.tables.size(), 1U);
  EXPECT_EQ(study.tables[0].beside, "device");
  ASSERT_EQ(study.charts.size(), 1U);
  EXPECT_EQ(study.charts[0].kind, ChartWish::Kind::lines);
  EXPECT_TRUE(study.charts[0].log_y);
  EXPECT_FALSE(study.charts[0].log_x);
}

TEST(StudyReader, VariablesTakeOtherValues) {
  const Study study = read(whole, {{"batch", "16"}});
  EXPECT_THAT(values_of(study.groups[0].factors[2]), ElementsAre("1", "16"));
  EXPECT_THROW((void)read(whole, {{"bach", "1"}}), Error);
}

TEST(StudyReader, TheStarterIsAStudy) {
  const Study study = read(starter());
  EXPECT_EQ(study.groups.size(), 2U);
  EXPECT_EQ(study.hypotheses.size(), 2U);
}

constexpr std::string_view head = "title = \"t\"\n[[cases]]\nmode = \"predict\"\n";

TEST(StudyReader, FaultsHaveTheirPlace) {
  const std::string start(head);
  const std::pair<std::string, std::string> faults[] = {
      {"[[cases]]\nmode = \"predict\"\n", "dir/a.toml:1:1: the file lacks the key 'title'"},
      {"title = \"t\"\n", "dir/a.toml:1:1: the study has no cases"},
      {start + "modle = \"resnet18\"\n", "dir/a.toml:4:1: unknown key 'modle' in 'cases[0]'"},
      {"title = \"t\"\n[[cases]]\nmode = \"predcit\"\n", "dir/a.toml:3:8: unknown mode 'predcit'"},
      {start + "model = []\n", "dir/a.toml:4:9: 'cases[0].model' has no values"},
      {start + "model = \"${net}\"\n", "dir/a.toml:4:9: unknown variable 'net'"},
      {start + "model = \"${net\"\n", "dir/a.toml:4:9: '${' has no '}'"},
      {start + "[[hypotheses]]\ncheck = \"tme > 1\"\n", "dir/a.toml:5:10: unknown quantity 'tme'"},
      {start + "[[published]]\nvalues = { tme = 1 }\n", "dir/a.toml:5:12: unknown quantity 'tme'"},
      {start + "[[published]]\nsource = \"x\"\n",
       "dir/a.toml:4:1: 'values' is missing: what was published?"},
      {start + "[[tables]]\nvalues = [\"time\", \"tme\"]\n",
       "dir/a.toml:5:20: unknown quantity 'tme'"},
      {start + "[[charts]]\nkind = \"pie\"\n", "dir/a.toml:5:8: unknown kind of chart 'pie'"},
      {start + "of = \"x\"\n", "dir/a.toml:2:1: 'of' belongs to the mode evaluate"},
      {"title = \"t\"\n[[cases]]\nmode = \"evaluate\"\n",
       "dir/a.toml:2:1: 'of' is missing: which group trains the models?"},
      {"title = \"t\"\n[[cases]]\nmode = \"evaluate\"\nof = \"x\"\n",
       "dir/a.toml:2:1: no group 'x' trains models"},
      {start + "name = \"a\"\n[[cases]]\nname = \"a\"\nmode = \"predict\"\n",
       "dir/a.toml:5:1: there are two groups of cases named 'a'"},
      {start + "[[hypotheses]]\nname = \"h2\"\ncheck = \"time > 1\"\n[[hypotheses]]\n"
               "check = \"time > 2\"\n",
       "dir/a.toml:7:1: there are two hypotheses named 'h2'"},
      {start + "[[published]]\nwhere = { modle = \"x\" }\nvalues = { time = 1 }\n",
       "dir/a.toml:5:11: unknown attribute 'modle'"},
      {start + "[[tables]]\nbeside = \"devise\"\nvalues = \"time\"\n",
       "dir/a.toml:5:10: unknown attribute 'devise'"},
      {start + "[[charts]]\nkind = \"lines\"\ny = \"time\"\nx = \"bacth\"\n",
       "dir/a.toml:7:5: unknown attribute 'bacth'"},
  };
  for (const auto& [text, message] : faults) EXPECT_EQ(error_in(text), message) << text;
}

TEST(StudyReader, ANearNameIsInTheHint) {
  try {
    (void)read(std::string(head) + "[[published]]\nvalues = { tiem = 1 }\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.hint(), "did you mean 'time'?");
  }
  try {
    (void)read("title = \"${x}\"\n");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.hint(), "[variables] gives names their values");
  }
}

TEST(StudyReader, AttributesAreThoseOfTheCases) {
  const Study study = read(std::string(head) +
                           "vary = { image-size = [32, 64] }\noptions = { variant = \"cifar\" }\n"
                           "[[charts]]\nkind = \"lines\"\ny = \"time\"\nx = \"flops\"\n"
                           "series = \"variant\"\nwhere = { image-size = 32, launch = \"cpu\" }\n");
  EXPECT_EQ(study.charts[0].series, "variant");
}

}  // namespace
}  // namespace rooflab::study
