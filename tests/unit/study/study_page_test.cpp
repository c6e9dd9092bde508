#include "study/study_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "describe/json_fields.hpp"
#include "study/page_tables.hpp"
#include "study/study_quantity.hpp"
#include "study_cases.hpp"

namespace rooflab::study {
namespace {

using page::Cell;
using page::Table;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;

std::vector<std::string> texts(const std::vector<Cell>& row) {
  std::vector<std::string> result;
  for (const Cell& cell : row) result.push_back(cell.text);
  return result;
}

std::vector<std::string> titles(const Table& table) {
  std::vector<std::string> result;
  for (const page::Column& column : table.columns) result.push_back(column.title);
  return result;
}

std::vector<std::string> titles(const std::vector<Table>& tables) {
  std::vector<std::string> result;
  for (const Table& table : tables) result.push_back(table.title);
  return result;
}

page::PageSection published(const StudyResults& results) {
  page::PageSection section;
  add_published(section, published_figures(results.study, results.cases, results.explanations));
  return section;
}

StudyResults compared(StudyResults given) {
  compare_published(given);
  return given;
}

page::Document page_of(StudyResults& given, const device::Catalog& catalog,
                       const std::string& command) {
  read_reported(given, catalog, {});
  compare_published(given);
  return study_page(given, catalog, command);
}

ShownValue shown(const std::string& text) { return ShownValue::parse(text, {}); }

page::PageSection wished(const TableWish& wish, const std::vector<StudyCase>& cases) {
  page::PageSection section;
  StudyResults given;
  given.cases = cases;
  add_wished(section, wish, given);
  return section;
}

page::PageSection usual(const std::vector<StudyCase>& cases) {
  page::PageSection section;
  add_usual(section, cases);
  return section;
}

/// Predicted and measured with one published time of 0.5 s, as text.
std::pair<std::string, std::string> beside(const Attributes& where,
                                           const std::vector<StudyCase>& cases,
                                           const std::string& quantity = "time") {
  StudyResults given;
  given.cases = cases;
  PublishedRow row;
  row.where = where;
  row.values = {{quantity, 0.5}};
  given.study.published = {row};
  const Table table = published(given).details.at(0).table;
  return {table.rows.at(0)[3].text, table.rows.at(0)[5].text};
}

/// `name: x y, x y` of every line.
std::vector<std::string> lines(const page::PageSection& section) {
  std::vector<std::string> result;
  for (const chart::Series& series : section.charts.at(0).chart.series) {
    std::string line = series.name + ":";
    for (const chart::Point& point : series.points) line += format(" {},{}", point.x, point.y);
    result.push_back(line);
  }
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
  study.tables = {{"Times", {{"mode", "predict"}}, {shown("time")}, ""}};
  study.charts = {{ChartWish::Kind::bars, "Bars", {}, shown("time"), "", "", false, false}};
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
  made_results.explanations = {{Explanation::Kind::set_up,
                                "resnet18 on t4",
                                "most of it is set-up",
                                {"0.5 s were printed"},
                                {{0, "time"}}}};
  return made_results;
}

/// Two networks, two devices and three batches, with as many FLOPs as images.
std::vector<StudyCase> batch_grid() {
  std::vector<StudyCase> cases;
  for (const char* const model : {"vgg16", "resnet18"}) {
    for (const char* const device : {"t4", "v100"}) {
      for (const double batch : {64.0, 1.0, 8.0}) {
        const double time = batch * (std::string(model) == "vgg16" ? 2.0 : 1.0);
        cases.push_back(made({{"mode", "predict"},
                              {"model", model},
                              {"device", device},
                              {"batch", format("{}", batch)}},
                             {{"time", time}, {"flops", 10.0 * batch}}));
      }
    }
  }
  return cases;
}

TEST(StudyPage, CountsCases) {
  EXPECT_EQ(results().done(), 2U);
  EXPECT_EQ(results().failed(), 1U);
}

TEST(StudyPage, PublishedFiguresStandBesideOurs) {
  const page::PageDetail detail = published(results()).details.at(0);
  EXPECT_EQ(detail.heading, "Published, predicted and measured");
  EXPECT_TRUE(detail.in_text);
  const Table& table = detail.table;
  ASSERT_EQ(table.rows.size(), 2U);
  // FLOPs that were counted are next to the model's: 2e9 / 4e9.
  EXPECT_THAT(texts(table.rows[0]),
              ElementsAre("resnet18, t4", "counted FLOPs", "2 GFLOP", "4 GFLOP", "0.5x", "-", "-",
                          "unexplained", "a paper"));
  EXPECT_THAT(texts(table.rows[1]),
              ElementsAre("resnet18, t4", "time of a step", "500 ms", "250 ms (200 to 300)", "2x",
                          "-", "-", "set up", "a paper"));
}

TEST(StudyPage, AWishedTableHasWhatTellsItsCasesApart) {
  const StudyResults given = results();
  const Table table = wished(given.study.tables.front(), given.cases).tables.at(0);
  EXPECT_EQ(table.title, "Times");
  EXPECT_THAT(titles(table), ElementsAre("model", "time of a step"));
  ASSERT_EQ(table.rows.size(), 2U);
  EXPECT_THAT(texts(table.rows[1]), ElementsAre("alexnet", "100 ms"));
}

TEST(StudyPage, AWishedTableKnowsCasesByTheWordsOfTheStudy) {
  std::vector<StudyCase> cases = batch_grid();
  for (StudyCase& each : cases) {
    each.attributes["named"] = each.attributes["device"] == "t4" ? "Tesla T4" : "v100-pcie";
  }
  const auto rows = [&](const Attributes& where) {
    const page::PageSection section = wished({"", where, {shown("time")}, ""}, cases);
    return section.tables.empty() ? 0 : section.tables[0].rows.size();
  };
  EXPECT_EQ(rows({{"device", "tesla t4"}}), 6U);
  EXPECT_EQ(rows({{"device", "Tesla T4,V100"}}), 12U);
  EXPECT_EQ(rows({{"model", "ResNet-18"}, {"batch", "1,8"}}), 4U);
  EXPECT_EQ(rows({{"device", "a100"}}), 0U);
}

TEST(StudyPage, AnAttributeBesideBecomesColumns) {
  std::vector<StudyCase> cases = results().cases;
  cases.push_back(
      made({{"mode", "predict"}, {"model", "alexnet"}, {"device", "v100"}}, {{"time", 0.05}}));
  const Table table = wished({"", {}, {shown("time")}, "device"}, cases).tables.at(0);
  EXPECT_THAT(titles(table), ElementsAre("case", "time of a step, t4", "time of a step, v100"));
}

TEST(StudyPage, TheUsualTableHasWhatThereIs) {
  const page::PageSection section = usual(results().cases);
  ASSERT_THAT(section.tables, SizeIs(1));
  EXPECT_EQ(section.tables[0].title, "Figures");
  EXPECT_THAT(titles(section.tables[0]), ElementsAre("model", "FLOPs of a step", "time of a step"));
  EXPECT_EQ(section.tables[0].rows.size(), 2U);
}

TEST(StudyPage, TheUsualTablesHaveEveryQuantity) {
  std::vector<Figure> all;
  for (const Quantity& quantity : quantities()) all.push_back({std::string(quantity.name), 1.0});
  const std::vector<StudyCase> cases = {
      made({{"mode", "predict"}, {"model", "resnet18"}}, all),
      made({{"mode", "predict"}, {"model", "alexnet"}}, {{"time", 2.0}, {"macs", 1.0}})};
  const page::PageSection section = usual(cases);
  std::size_t columns = 0;
  for (const Table& table : section.tables) columns += table.columns.size();
  EXPECT_EQ(section.tables.size(), 10U);
  EXPECT_THAT(titles(section.tables),
              testing::IsSupersetOf({"Figures: work", "Figures: time", "Figures: what fits"}));
  std::size_t with_model = 0;  // a table of one case has its model, one of two what differs: that
  for (const Table& table : section.tables) {
    with_model += table.columns.front().key == "model" ? 1 : 0;
  }
  EXPECT_EQ(with_model, section.tables.size());
  constexpr std::size_t of_roofs = 3;  // which a study asks for
  EXPECT_EQ(columns, quantities().size() - of_roofs + section.tables.size());
}

TEST(StudyPage, TheUsualTableOfASearchShowsWhatFits) {
  const page::PageSection section = usual({made({{"mode", "predict"}, {"model", "resnet18"}},
                                                {{"predicted_largest", 128}, {"time", 1.0}})});
  ASSERT_THAT(section.tables, SizeIs(1));
  EXPECT_THAT(texts(section.tables[0].rows.at(0)), ElementsAre("resnet18", "1 s", "128"));
}

// A log that lacks the model is of no network that a row names, but for one in its file's name.
TEST(StudyPage, APublishedRowIsBesideItsOwnNetworkOnly) {
  const Attributes row = {{"model", "vgg16"}, {"device", "t4"}, {"phase", "training"}};
  StudyCase log = made({{"mode", "import"}, {"group", "logs"}, {"file", "a/alexnet-b1.csv"}},
                       {{"time", 0.001}});
  const std::pair<std::string, std::string> none = {"-", "-"};
  EXPECT_EQ(beside(row, {log}), none);
  log.attributes["file"] = "a/VGG-16.csv";
  EXPECT_EQ(beside(row, {log}).second, "1 ms");
  log.attributes["file"] = "a/alexnet-b1.csv";
  Attributes named = row;
  named["group"] = "logs";
  EXPECT_EQ(beside(named, {log}).second, "1 ms");
  StudyCase network =
      made({{"mode", "predict"}, {"file", "b/vgg16.onnx"}, {"device", "t4"}, {"phase", "training"}},
           {{"time", 0.002}});
  EXPECT_EQ(beside(row, {network}).first, "2 ms");
  network.attributes["file"] = "b/resnet18.onnx";
  EXPECT_EQ(beside(row, {network}), none);
}

TEST(StudyPage, ALayerHasNoNetwork) {
  const StudyCase layer =
      made({{"mode", "measure"}, {"device", "t4"}, {"layer", "relu"}}, {{"time", 0.001}});
  EXPECT_EQ(beside({{"layer", "relu"}, {"device", "t4"}}, {layer}).second, "1 ms");
  EXPECT_EQ(beside({{"model", "vgg16"}, {"device", "t4"}}, {layer}).second, "-");
  EXPECT_EQ(beside({{"layer", "linear(2,2)"}, {"device", "t4"}}, {layer}).second, "-");
}

TEST(StudyPage, WhatACaseDoesNotSayIsWhatItsCommandDoes) {
  const StudyCase search =
      made({{"mode", "fit"}, {"model", "vgg16"}, {"device", "t4"}}, {{"time", 0.001}});
  EXPECT_EQ(beside({{"model", "vgg16"}, {"device", "t4"}}, {search}).second, "1 ms");
  EXPECT_EQ(beside({{"model", "vgg16"}, {"batch", "64"}}, {search}).second, "-");
  EXPECT_EQ(beside({{"model", "vgg16"}, {"precision", "fp32"}}, {search}).second, "1 ms");
  EXPECT_EQ(beside({{"model", "vgg16"}, {"precision", "amp"}}, {search}).second, "-");
  EXPECT_EQ(beside({{"model", "vgg16"}, {"gpus", "1"}}, {search}).second, "1 ms");
  EXPECT_EQ(beside({{"model", "vgg16"}, {"gpus", "2"}}, {search}).second, "-");
  const StudyCase counts = made({{"mode", "summary"}, {"model", "vgg16"}}, {{"parameters", 1e6}});
  EXPECT_EQ(beside({{"model", "vgg16"}, {"device", "t4"}}, {counts}, "parameters").first, "1 M");
}

TEST(StudyPage, NamesOfNetworksAndForwardPassesAreReadAsExplanationsReadThem) {
  const std::vector<StudyCase> cases = {
      made({{"mode", "predict"}, {"model", "resnet18"}, {"phase", "inference"}},
           {{"time", 0.25}, {"memory", 1e9}, {"flops", 2e9}}),
      made({{"mode", "predict"}, {"model", "resnet18"}, {"phase", "forward"}},
           {{"time", 0.5}, {"memory", 2e9}})};
  EXPECT_EQ(beside({{"model", "ResNet-18"}, {"phase", "inference"}}, cases).first, "250 ms");
  EXPECT_EQ(beside({{"model", "resnet18"}, {"phase", "forward"}}, cases).first, "500 ms");
  EXPECT_EQ(beside({{"model", "resnet18"}, {"phase", "training"}}, cases).first, "-");
  const std::vector<StudyCase> inference = {cases[0]};
  EXPECT_EQ(beside({{"model", "resnet18"}, {"phase", "forward"}}, inference).first, "250 ms");
  EXPECT_EQ(beside({{"model", "resnet18"}, {"phase", "forward"}}, inference, "flops").first,
            "2 GFLOP");
  // Saved activations make them two for memory.
  EXPECT_EQ(beside({{"model", "resnet18"}, {"phase", "forward"}}, inference, "memory").first, "-");
}

/// A step that was predicted to need four times the memory that there is.
StudyCase misfit() {
  return made({{"mode", "predict"},
               {"model", "vgg16"},
               {"device", "gtx-1080"},
               {"batch", "256"},
               {"phase", "training"}},
              {{"time", 3.319}, {"flops", 2e13}, {"total_memory", 33e9}, {"device_memory", 8e9}});
}
const std::string misfit_note =
    "vgg16, gtx-1080, batch 256, training: needs 33 GB of 8 GB, its time is of a device with more";

TEST(StudyPage, TimesOfWhatDoesNotFitAreMarked) {
  StudyResults given;
  given.cases = {misfit()};
  PublishedRow row;
  row.where = {{"model", "vgg16"}, {"device", "gtx-1080"}};
  row.values = {{"flops", 2e13}, {"time", 3.2}};
  given.study.published = {row};
  page::PageSection section = published(given);
  EXPECT_EQ(section.details.at(0).table.rows.at(0)[3].text, "20 TFLOP");
  EXPECT_EQ(section.details.at(0).table.rows.at(1)[3].text, "3.319 s, does not fit");
  EXPECT_EQ(section.details.at(0).table.rows.at(1)[3].raw, "3.319");
  EXPECT_THAT(section.notes, ElementsAre(misfit_note));

  EXPECT_THAT(wished({"t", {}, {shown("time")}, ""}, given.cases).notes, ElementsAre(misfit_note));
  EXPECT_THAT(wished({"t", {}, {shown("flops")}, ""}, given.cases).notes, IsEmpty());
  EXPECT_THAT(usual(given.cases).notes, ElementsAre(misfit_note));
  page::PageSection bars;
  add_chart(bars, {ChartWish::Kind::bars, "Bars", {}, shown("time"), "", "", false, false},
            given.cases);
  EXPECT_THAT(bars.notes, ElementsAre(misfit_note));
  EXPECT_EQ(bars.bars.at(0).text, "3.319 s, does not fit");

  std::vector<StudyCase> many(20, misfit());
  for (std::size_t i = 0; i < many.size(); ++i) many[i].attributes["batch"] = format("{}", i);
  const page::Remarks notes = wished({"t", {}, {shown("time")}, ""}, many).notes;
  ASSERT_THAT(notes, SizeIs(9));
  EXPECT_EQ(notes.back(), "so it is with 12 more");

  given.cases[0].attributes["mode"] = "measure";  // it ran
  EXPECT_THAT(published(given).notes, IsEmpty());
}

TEST(StudyPage, CasesThatNothingTellsApartHaveRowsOfTheirOwn) {
  const Attributes where = {{"mode", "published"}, {"model", "vgg16"}, {"device", "t4"}};
  std::vector<StudyCase> cases = {made(where, {{"time", 1.0}}), made(where, {{"time", 2.0}})};
  const TableWish wish = {"", {}, {shown("time")}, "device"};
  Table table = wished(wish, cases).tables.at(0);
  ASSERT_THAT(table.rows, SizeIs(2));
  EXPECT_EQ(table.rows[0].at(1).text, "1 s");
  EXPECT_EQ(table.rows[1].at(1).text, "2 s");
  cases[0].attributes["source"] = "cuDNN";
  cases[1].attributes["source"] = "no cuDNN";
  table = wished(wish, cases).tables.at(0);
  EXPECT_THAT(texts(table.rows.at(1)), ElementsAre("no cuDNN", "2 s"));
  table = wished({"", {}, {shown("time")}, ""}, cases).tables.at(0);
  EXPECT_THAT(texts(table.rows.at(1)), ElementsAre("no cuDNN", "2 s"));
}

TEST(StudyPage, BarsAndLines) {
  const StudyResults given = results();
  page::PageSection bars;
  add_chart(bars, given.study.charts.front(), given.cases);
  ASSERT_EQ(bars.bars.size(), 2U);
  EXPECT_EQ(bars.bars[0].label, "resnet18");
  EXPECT_EQ(bars.bars[0].text, "250 ms");
  page::PageSection lines;
  ChartWish wish = given.study.charts.front();
  wish.kind = ChartWish::Kind::lines;
  wish.x = "flops";
  add_chart(lines, wish, given.cases);
  ASSERT_EQ(lines.charts.size(), 1U);
  EXPECT_EQ(lines.charts[0].chart.series.size(), 2U);
  EXPECT_EQ(lines.charts[0].chart.x.unit, "FLOP");
  page::PageSection none;
  wish.y = shown("energy");
  add_chart(none, wish, given.cases);
  EXPECT_THAT(none.notes, ElementsAre("no case has the figures of this chart (energy)"));
}

TEST(StudyPage, LinesJoinWhatDiffersInXAlone) {
  page::PageSection section;
  ChartWish wish{ChartWish::Kind::lines, "c", {}, shown("time"), "batch", "device", false, false};
  add_chart(section, wish, batch_grid());
  EXPECT_THAT(lines(section),
              ElementsAre("t4, vgg16: 1,2 8,16 64,128", "v100, vgg16: 1,2 8,16 64,128",
                          "t4, resnet18: 1,1 8,8 64,64", "v100, resnet18: 1,1 8,8 64,64"));
  EXPECT_THAT(section.notes, IsEmpty());
  // Where x is a figure the batch runs along the line.
  page::PageSection by_flops;
  wish.x = "flops";
  wish.series = "model";
  add_chart(by_flops, wish, batch_grid());
  EXPECT_THAT(lines(by_flops),
              ElementsAre("vgg16, t4: 10,2 80,16 640,128", "vgg16, v100: 10,2 80,16 640,128",
                          "resnet18, t4: 10,1 80,8 640,64", "resnet18, v100: 10,1 80,8 640,64"));
}

TEST(StudyPage, NoTwoLinesLookTheSame) {
  std::vector<StudyCase> cases;
  for (int i = 0; i < 9; ++i) {
    const Attributes of = {{"mode", "predict"}, {"model", format("m{}", i)}, {"batch", "1"}};
    cases.push_back(made(of, {{"time", 1.0 + i}}));
  }
  ChartWish wish{ChartWish::Kind::lines, "c", {}, shown("time"), "batch", "", false, false};
  page::PageSection section;
  add_chart(section, wish, cases);
  std::set<std::pair<int, chart::Marker>> looks;
  for (const chart::Series& series : section.charts.at(0).chart.series) {
    EXPECT_NE(series.color, chart::neutral_color);
    looks.emplace(series.color, series.marker);
  }
  EXPECT_THAT(looks, SizeIs(9));
}

TEST(StudyPage, ChartsDropNoCaseWithoutAWord) {
  std::vector<StudyCase> cases = batch_grid();
  cases.resize(3);
  ChartWish wish{ChartWish::Kind::lines, "c", {}, shown("time"), "model", "", false, false};
  page::PageSection words;
  add_chart(words, wish, cases);
  EXPECT_THAT(words.notes, ElementsAre("no case has a number for x 'model'"));
  EXPECT_THAT(words.charts, IsEmpty());
  // Two sources that are alike in all else are two lines; a row without x has a note.
  Attributes where = {{"mode", "published"}, {"model", "vgg16"}, {"batch", "1"}, {"source", "A"}};
  cases.push_back(made(where, {{"time", 3.0}}));
  where["source"] = "B";
  cases.push_back(made(where, {{"time", 4.0}}));
  where.erase("batch");
  cases.push_back(made(where, {{"time", 5.0}}));
  wish.x = "batch";
  page::PageSection section;
  add_chart(section, wish, cases);
  EXPECT_THAT(lines(section), ElementsAre("t4, predict: 1,2 8,16 64,128", "published, A: 1,3",
                                          "published, B: 1,4"));
  EXPECT_THAT(section.notes, ElementsAre("no number for x 'batch', so not drawn: published-vgg16"));
  page::PageSection series;
  wish.series = "launch";
  add_chart(series, wish, batch_grid());
  EXPECT_THAT(series.notes, ElementsAre("no case has the attribute of the series (launch)"));
  EXPECT_THAT(lines(series), SizeIs(4));
}

TEST(StudyPage, HasEveryPartInOrder) {
  StudyResults given = results();
  given.study.about = "A paper.";
  const page::Document page =
      page_of(given, device::Catalog::built_in(), "rooflab study run a.toml");
  EXPECT_EQ(page.title, "Two networks");
  EXPECT_EQ(page.subtitle, "Which?");
  // 0.5 s over 0.25 s, and 2 GFLOP over 4 GFLOP.
  EXPECT_THAT(
      page.answer,
      ElementsAre(
          "None of 2 published figures agree with ours; the others, worst first: "
          "start-up time or more steps are included (1 figure, 2x off), unexplained (1 figure, "
          "2x off).",
          "The hypothesis \"One takes longer\" is supported.",
          "2 of 3 cases have figures; 1 failed."));
  EXPECT_EQ(page.findings_heading, "What explains the published figures");
  ASSERT_THAT(page.findings, SizeIs(1));
  EXPECT_EQ(page.findings[0].worth, "set up, 2x off");
  EXPECT_EQ(page.findings[0].text, "resnet18 on t4: most of it is set-up");
  EXPECT_THAT(page.findings[0].evidence, ElementsAre("0.5 s were printed"));
  std::vector<std::string> headings;
  for (const page::PageSection& section : page.sections) headings.push_back(section.heading);
  ASSERT_GE(headings.size(), 8U);
  EXPECT_EQ(headings.back(), "Appendix");
  headings.resize(7);
  EXPECT_THAT(headings, ElementsAre("Hypotheses", "Published figures", "Tables", "Stages",
                                    "Published over ours", "Bars", "About"));
  EXPECT_THAT(page.sections.back().details.at(0).heading,
              "Every case: 2 of 3 cases have figures; 1 failed");
  const std::string markdown = page::render(page, page::Format::markdown);
  const auto place = [&markdown](const char* text) {
    const std::size_t found = markdown.find(text);
    EXPECT_NE(found, std::string::npos) << text;
    return found;
  };
  EXPECT_LT(place("Which?"), place("None of 2 published"));
  EXPECT_LT(place("None of 2 published"), place("### What explains"));
  EXPECT_LT(place("### What explains"), place("   - 0.5 s were printed"));
  EXPECT_LT(place("   - 0.5 s were printed"), place("### Hypotheses"));
  EXPECT_LT(place("### Hypotheses"), place("### Published, predicted and measured"));
  EXPECT_LT(place("### Published, predicted and measured"), place("### Every case"));
  EXPECT_THAT(markdown, HasSubstr("oom: out of memory"));
  EXPECT_THAT(markdown, HasSubstr("As printed."));
  EXPECT_EQ(page.json["findings"][0]["kind"], "set_up");
  EXPECT_EQ(page.json["findings"][0]["reasons"][0], "0.5 s were printed");
}

TEST(StudyPage, DotsArePublishedOverOurs) {
  const StudyResults given = results();
  const auto figures = published_figures(given.study, given.cases, given.explanations);
  const std::vector<chart::Dot> dots = published_dots(figures);
  ASSERT_THAT(dots, SizeIs(2));
  EXPECT_EQ(dots[0].group, "resnet18");
  EXPECT_EQ(dots[0].label, "counted FLOPs");
  EXPECT_EQ(dots[0].predicted, 0.5);
  EXPECT_EQ(dots[0].remark, "unexplained");
  EXPECT_FALSE(dots[0].is_quiet);
  // 0.5 s over 0.25 s, 0.3 s and 0.2 s.
  EXPECT_EQ(dots[1].predicted, 2.0);
  EXPECT_NEAR(dots[1].low.value(), 1.6667, 1e-4);
  EXPECT_EQ(dots[1].high, 2.5);
  EXPECT_EQ(dots[1].value, "2x");
  EXPECT_EQ(dots[1].kind, "set up: start-up time or more steps are included");
}

TEST(StudyPage, LongTablesWaitBehindALine) {
  StudyResults given = results();
  given.cases = batch_grid();  // twelve
  given.plan.clear();
  given.outcomes.clear();
  const auto tables = [&] {
    const page::Document page = page_of(given, device::Catalog::built_in(), "c");
    const auto section = std::ranges::find(page.sections, "Tables", &page::PageSection::heading);
    return std::pair(section->tables.size(), section->details.size());
  };
  EXPECT_EQ(tables(), std::pair(std::size_t{1}, std::size_t{0}));
  given.cases.push_back(made({{"mode", "predict"}, {"model", "alexnet"}}, {{"time", 1.0}}));
  EXPECT_EQ(tables(), std::pair(std::size_t{0}, std::size_t{1}));
}

TEST(StudyPage, StagesOfWhatWasCutHaveATable) {
  StudyResults given = results();
  page::PageSection none;
  add_stages(none, given);
  EXPECT_THAT(none.tables, IsEmpty());
  EXPECT_THAT(none.notes, IsEmpty());
  PlannedCase planned;
  planned.id = "cut";
  planned.mode = Mode::partition;
  given.plan.push_back(planned);
  given.outcomes.emplace_back(CaseOutcome());
  given.outcomes.back()->result = parse_json(R"({"plan": {"stages": [
      {"device": "t4", "first_node": "a", "last_node": "b", "predicted_s": 0.5, "received_bytes": 0,
       "memory": {"allocated_peak_bytes": 2000000000}},
      {"device": "cuda:1", "first_node": "c", "last_node": "d", "predicted_s": 0.25, "received_bytes": 4096,
       "transfer_s": 1e-6, "median_s": 0.75, "measured_transfer_s": 2e-6}]}})",
                                             "a test");
  page::PageSection section;
  add_stages(section, given);
  ASSERT_THAT(section.tables, SizeIs(1));
  const Table& table = section.tables.front();
  EXPECT_EQ(table.title, "Stages of cut");
  std::vector<std::string> rows;
  for (const std::vector<page::Cell>& row : table.rows) {
    std::string line;
    for (const page::Cell& cell : row) line += (line.empty() ? "" : "|") + cell.text;
    rows.push_back(line);
  }
  EXPECT_THAT(rows, ElementsAre("-|t4|a|b|-|500 ms|-|0 B|-|-|-|2 GB|-|-",
                                "-|cuda:1|c|d|-|250 ms|750 ms|4.096 kB|1 us|2 us|-|-|-|-"));
  // Without a plan, or for a case that was not run, the page has no such table.
  given.outcomes.back()->result = parse_json(R"({"plan": null})", "a test");
  add_stages(none, given);
  given.outcomes.back().reset();
  add_stages(none, given);
  EXPECT_THAT(none.tables, IsEmpty());
}

TEST(StudyPage, TheDocumentBeginsWithTheQuestion) {
  StudyResults given = results();
  given.study.about = "First.\n\n# Second,\nwith more.";
  given.study.hypotheses.push_back({"h2", "Elsewhere too", "time(a100) > 1", {}});
  given.verdicts.push_back(judge(given.study.hypotheses.back(), given.cases));
  const std::string long_name(80, 'x');
  given.plan.front().id = given.cases.front().id = long_name;
  const page::Document document = page_of(given, device::Catalog::built_in(), "c");
  EXPECT_THAT(document.introduction, ElementsAre("Which?"));
  const std::string markdown = page::render(document, page::Format::markdown);
  EXPECT_THAT(markdown, testing::StartsWith("## Two networks\n\nWhich?\n\nNone of 2 published"));
  EXPECT_THAT(markdown, HasSubstr("- About: First.\n- About: # Second, with more.\n"));
  EXPECT_THAT(markdown, Not(HasSubstr("- Which?")));
  EXPECT_THAT(page::render(document, page::Format::table), testing::StartsWith("Which?\n"));
  EXPECT_EQ(document.json["introduction"][0], "Which?");
  EXPECT_EQ(document.json["introduction"][2],
            "Of 2 hypotheses 1 is undecided (\"Elsewhere too\"), 1 is supported.");
  // Checks are in the table, reasons in a separate one.
  EXPECT_THAT(markdown,
              HasSubstr("| h1 | One takes longer | supported | in the only case | 250 ms / 100 ms "
                        "= 2.5 (allowed over 1; interval 2 to 3) | time(resnet18) > "
                        "time(alexnet) |"));
  EXPECT_THAT(markdown, HasSubstr("### h2, undecided: Elsewhere too\n\n"
                                  "| figure | why it is missing |\n| :-- | :-- |\n"
                                  "| time(a100) | no case fits a100"));
  EXPECT_THAT(markdown, HasSubstr("| " + long_name + " |"));
  EXPECT_THAT(markdown, HasSubstr("- Published figures: As printed.\n"));
}

std::vector<std::string> headings(const page::Document& document) {
  std::vector<std::string> all;
  for (const page::PageSection& section : document.sections) all.push_back(section.heading);
  return all;
}

TEST(StudyPage, SectionsStandInTheOrderOfReading) {
  StudyResults given = results();
  given.study.about = "About it.";
  using Position = StudyText::Position;
  given.study.texts = {{Position::introduction, "Why", "a"},
                       {Position::method, "How", "b"},
                       {Position::discussion, "So what", "*c*"},
                       {Position::conclusion, "Then", "d"}};
  const page::Document document = page_of(given, device::Catalog::built_in(), "c");
  const std::vector<std::string> order = headings(document);
  EXPECT_THAT(std::vector(order.begin(), order.begin() + 11),
              ElementsAre("Why", "Hypotheses", "How", "Published figures", "Tables", "Stages",
                          "Published over ours", "Bars", "So what", "Then", "About"));
  EXPECT_EQ(order.back(), "Appendix");
  EXPECT_THAT(document.dots, IsEmpty());
  EXPECT_EQ(document.json["texts"][2]["title"], "So what");
  EXPECT_EQ(document.json["texts"][2]["markdown"], "*c*");
  EXPECT_THAT(page::render(document, page::Format::markdown), HasSubstr("\n### So what\n\n*c*\n"));
}

/// Heads and bare cells of every table of a page, those behind lines too.
std::vector<std::string> contents(const page::Document& document) {
  std::vector<std::string> all;
  const auto add = [&all](const Table& table) {
    if (table.rows.empty()) return;
    std::string content;
    for (const page::Column& column : table.columns) content += column.key + "|";
    for (const std::vector<Cell>& row : table.rows) {
      for (const Cell& cell : row) content += cell.raw + "|";
      content += "\n";
    }
    all.push_back(std::move(content));
  };
  for (const page::PageSection& section : document.sections) {
    for (const Table& table : section.tables) add(table);
    for (const page::PageDetail& detail : section.details) add(detail.table);
  }
  return all;
}

TEST(StudyPage, NoTableStandsTwice) {
  StudyResults given = results();
  // The same cases under two titles; one of them is long, so that it is behind a line.
  given.study.tables = {{"Times", {{"mode", "predict"}}, {shown("time")}, ""},
                        {"Times again", {{"mode", "predict"}}, {shown("time")}, ""},
                        {"Work", {{"mode", "predict"}}, {shown("flops")}, ""}};
  const page::Document document = page_of(given, device::Catalog::built_in(), "c");
  std::vector<std::string> all = contents(document);
  EXPECT_THAT(all, Not(IsEmpty()));
  std::ranges::sort(all);
  EXPECT_EQ(std::ranges::adjacent_find(all), all.end());
  const std::string markdown = page::render(document, page::Format::markdown);
  EXPECT_THAT(markdown, HasSubstr("### Times\n"));
  EXPECT_THAT(markdown, Not(HasSubstr("### Times again\n")));
  EXPECT_THAT(markdown, HasSubstr("- Tables: 'Times again' is the table 'Times'\n"));
}

TEST(StudyPage, AnUndecidedHypothesisHasNoEmptyTable) {
  StudyResults given = results();
  given.verdicts = {judge({"h1", "", "time / (flops - flops) > 1", {}}, given.cases)};
  const page::Document document = page_of(given, device::Catalog::built_in(), "c");
  for (const Table* const table : document.text_tables()) {
    EXPECT_THAT(table->rows, Not(IsEmpty())) << table->title;
  }
}

TEST(StudyPage, TheSummaryNamesWhatFailed) {
  const page::Document document = study_summary(compared(results()));
  EXPECT_EQ(document.title, "Two networks: 2 of 3 cases have figures");
  EXPECT_THAT(document.notes, ElementsAre("resnet18 on t4: most of it is set-up",
                                          "measure-resnet18-cpu: oom: out of memory"));
}

}  // namespace
}  // namespace rooflab::study
