#include "rooflab/study/study_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "study/page_tables.hpp"
#include "study_cases.hpp"

namespace rooflab::study {
namespace {

using report::Cell;
using report::Table;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> texts(const std::vector<Cell>& row) {
  std::vector<std::string> result;
  for (const Cell& cell : row) result.push_back(cell.text);
  return result;
}

std::vector<std::string> titles(const Table& table) {
  std::vector<std::string> result;
  for (const report::Column& column : table.columns) result.push_back(column.title);
  return result;
}

/// Two networks, predicted on a T4 and measured on a CPU; one of them failed.
StudyResults results() {
  StudyResults made_results;
  Study& study = made_results.study;
  study.file = "a.toml";
  study.title = "Two networks";
  study.question = "Which?";
  study.hypotheses = {{"h1", "One takes longer", "time(resnet18) > time(alexnet)", {}}};
  PublishedRow row;
  row.source = "a paper";
  row.where = {{"model", "resnet18"}, {"device", "t4"}, {"named", "Tesla T4"}};
  row.values = {{"time", 0.5}, {"counted_flops", 2e9}};
  row.remark = "As printed.";
  study.published = {row};
  study.tables = {{"Times", {{"mode", "predict"}}, {"time"}, ""}};
  study.charts = {{ChartWish::Kind::bars, "Bars", {}, "time", "", "", false, false}};
  made_results.cases = {
      made({{"mode", "predict"}, {"model", "resnet18"}, {"device", "t4"}, {"batch", "1"}},
           {{"time", 0.25, 0.2, 0.3}, {"flops", 4e9}}),
      made({{"mode", "predict"}, {"model", "alexnet"}, {"device", "t4"}, {"batch", "1"}},
           {{"time", 0.1}, {"flops", 1e9}}),
      made({{"mode", "measure"}, {"model", "resnet18"}, {"device", "cpu"}, {"batch", "1"}}, {}),
  };
  made_results.cases[2].reason = "oom: out of memory";
  for (const StudyCase& each : made_results.cases) {
    PlannedCase planned;
    planned.id = each.id;
    planned.words = {"predict", each.id};
    made_results.plan.push_back(planned);
    made_results.outcomes.emplace_back(CaseOutcome());
    made_results.outcomes.back()->seconds = 1.5;
  }
  for (const Hypothesis& hypothesis : study.hypotheses) {
    made_results.verdicts.push_back(judge(hypothesis, made_results.cases));
  }
  made_results.findings = {
      {Finding::Kind::set_up, "resnet18 on t4", "most of it is set-up", {"0.5 s were printed"}}};
  return made_results;
}

TEST(StudyPage, CountsCases) {
  EXPECT_EQ(results().done(), 2U);
  EXPECT_EQ(results().failed(), 1U);
}

TEST(StudyPage, PublishedFiguresStandBesideOurs) {
  const Table table = published_table(results());
  ASSERT_EQ(table.rows.size(), 2U);
  // FLOPs that were counted stand beside the model's: 4e9 / 2e9.
  EXPECT_THAT(texts(table.rows[0]), ElementsAre("resnet18, t4", "counted FLOPs", "2 GFLOP",
                                                "4 GFLOP", "2x", "-", "-", "a paper"));
  EXPECT_THAT(texts(table.rows[1]),
              ElementsAre("resnet18, t4", "time of a step", "500 ms", "250 ms (200 ms to 300 ms)",
                          "0.5x", "-", "-", "a paper"));
}

TEST(StudyPage, AWishedTableHasWhatTellsItsCasesApart) {
  const StudyResults given = results();
  const Table table = wished_table(given.study.tables.front(), given.cases);
  EXPECT_EQ(table.title, "Times");
  EXPECT_THAT(titles(table), ElementsAre("model", "time of a step"));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_THAT(texts(table.rows[1]), ElementsAre("alexnet", "100 ms"));
}

TEST(StudyPage, AnAttributeBesideBecomesColumns) {
  std::vector<StudyCase> cases = results().cases;
  cases.push_back(
      made({{"mode", "predict"}, {"model", "alexnet"}, {"device", "v100"}}, {{"time", 0.05}}));
  const Table table = wished_table({"", {}, {"time"}, "device"}, cases);
  EXPECT_THAT(titles(table), ElementsAre("case", "time of a step, t4", "time of a step, v100"));
}

TEST(StudyPage, TheUsualTableHasWhatThereIs) {
  const Table table = usual_table(results().cases);
  EXPECT_THAT(titles(table), ElementsAre("model", "time of a step", "FLOPs of a step"));
  EXPECT_EQ(table.rows.size(), 2U);
}

TEST(StudyPage, BarsAndLines) {
  const StudyResults given = results();
  report::PageSection bars;
  add_chart(bars, given.study.charts.front(), given.cases);
  ASSERT_EQ(bars.bars.size(), 2U);
  EXPECT_EQ(bars.bars[0].label, "resnet18");
  EXPECT_EQ(bars.bars[0].text, "250 ms");
  report::PageSection lines;
  ChartWish wish = given.study.charts.front();
  wish.kind = ChartWish::Kind::lines;
  wish.x = "flops";
  add_chart(lines, wish, given.cases);
  ASSERT_EQ(lines.charts.size(), 1U);
  EXPECT_EQ(lines.charts[0].chart.series.size(), 2U);
  EXPECT_EQ(lines.charts[0].chart.x.unit, "FLOP");
  report::PageSection none;
  wish.y = "energy";
  add_chart(none, wish, given.cases);
  EXPECT_THAT(none.notes, ElementsAre("no case has the figures of this chart (energy)"));
}

TEST(StudyPage, HasEveryPartInOrder) {
  const report::Page page =
      study_page(results(), device::Catalog::built_in(), "rooflab study run a.toml");
  EXPECT_EQ(page.title, "Two networks");
  std::vector<std::string> headings;
  for (const report::PageSection& section : page.sections) headings.push_back(section.heading);
  ASSERT_GE(headings.size(), 7U);
  headings.resize(7);
  EXPECT_THAT(headings,
              ElementsAre("Question", "Hypotheses", "Published figures",
                          "What explains the published figures", "Tables", "Bars", "Cases"));
  ASSERT_EQ(page.cards.size(), 3U);
  EXPECT_EQ(page.cards[0].value, "2 of 3");
  EXPECT_EQ(page.cards[0].remark, "with figures, 1 failed");
  EXPECT_EQ(page.cards[1].value, "holds");
  const std::string markdown = report::render(study_document(page), report::Format::markdown);
  EXPECT_THAT(markdown, HasSubstr("Which?"));
  EXPECT_THAT(markdown, HasSubstr("most of it is set-up"));
  EXPECT_THAT(markdown, HasSubstr("0.5 s were printed"));
  EXPECT_THAT(markdown, HasSubstr("oom: out of memory"));
  EXPECT_THAT(markdown, HasSubstr("As printed."));
}

TEST(StudyPage, TheSummaryNamesWhatFailed) {
  const report::Document document = study_summary(results());
  EXPECT_EQ(document.title, "Two networks: 2 of 3 cases have figures");
  EXPECT_THAT(document.notes, ElementsAre("resnet18 on t4: most of it is set-up",
                                          "measure-resnet18-cpu: oom: out of memory"));
}

}  // namespace
}  // namespace rooflab::study
