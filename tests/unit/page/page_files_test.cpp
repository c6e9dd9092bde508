#include "page/page_files.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rooflab::page {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::StartsWith;

Table small_table(const std::string& title) {
  Table table;
  table.title = title;
  table.columns = {{.key = "model", .title = "network", .align = Align::left},
                   {.key = "time_s", .title = "time"}};
  table.rows = {{"resnet18", {"2 ms", "0.002"}}};
  return table;
}

/// Bars, dots and lines, tables in text and behind a line.
Document page() {
  Document document;
  document.title = "A study";
  document.command = "rooflab study run a.toml";
  PageSection& tables = document.sections.emplace_back();
  tables.heading = "Tables";
  tables.in_text = true;
  tables.tables = {small_table("Times"), small_table("Times"), small_table("\u4e2d")};
  tables.details.push_back({.heading = "Layers", .table = small_table("")});
  tables.details.push_back(
      {.heading = "3 warnings", .table = small_table(""), .file_name = "Warnings"});
  PageSection& bars = document.sections.emplace_back();
  bars.heading = "Bars & more";
  bars.bars = {{"a_b", "2 ms", {{"x", 2.0, "2 ms"}}}, {"c", "1 ms", {{"x", 1.0, "1 ms"}}}};
  bars.bar_scale = chart::BarScale::absolute;
  PageSection& dots = document.sections.emplace_back();
  dots.heading = "Published over ours";
  dots.dot_axis = chart::DotAxis::ratio;
  dots.dots = {{.group = "resnet18", .label = "time", .predicted = 2.0, .low = 1.5, .high = 3.0}};
  PageSection& lines = document.sections.emplace_back();
  lines.heading = "Lines";
  chart::Chart chart;
  chart.series.push_back({.name = "s", .points = {{1.0, 1.0}, {2.0, 4.0}}});
  lines.charts.push_back({"", chart});
  return document;
}

TEST(PageFiles, EveryChartHasAName) {
  EXPECT_THAT(chart_paths(page()),
              ElementsAre("charts/bars-more.svg", "charts/bars-more.png", "charts/bars-more.pdf",
                          "charts/published-over-ours.svg", "charts/published-over-ours.png",
                          "charts/published-over-ours.pdf", "charts/lines.svg", "charts/lines.png",
                          "charts/lines.pdf"));
}

TEST(PageFiles, ChartsAreDrawnInThreeFormats) {
  if (!chart::find_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  Document document = page();
  const std::vector<PageFileGroup> charts = draw_charts(document);
  ASSERT_THAT(charts, SizeIs(3));
  for (const PageFileGroup& group : charts) {
    ASSERT_THAT(group.files, SizeIs(3));
    EXPECT_THAT(group.files[0].content, HasSubstr("<svg"));
    EXPECT_THAT(group.files[1].content, StartsWith("\x89PNG"));
    EXPECT_THAT(group.files[2].content, StartsWith("%PDF"));
  }
  // Labels of rows and the value at their end.
  EXPECT_THAT(charts[0].files[0].content, HasSubstr("a_b"));
  EXPECT_THAT(charts[0].files[0].content, HasSubstr("2 ms"));
  EXPECT_THAT(charts[1].files[0].content, HasSubstr("resnet18"));
  EXPECT_THAT(render(document, Format::markdown),
              HasSubstr("\n![Published over ours](charts/published-over-ours.svg)\n"));
}

TEST(PageFiles, EveryTableIsCsvAndLatex) {
  const std::vector<PageFileGroup> tables = table_files(page(), "1.2");
  std::vector<std::string> paths;
  for (const PageFileGroup& group : tables) paths.push_back(group.files.front().path);
  EXPECT_THAT(paths, ElementsAre("tables/times.csv", "tables/times-2.csv", "tables/table.csv",
                                 "tables/layers.csv", "tables/warnings.csv", "tables/tables.tex"));
  EXPECT_EQ(tables[0].files[0].content, "model,time_s\nresnet18,0.002\n");
  EXPECT_THAT(tables[0].files[1].content,
              StartsWith("% Times\n% rooflab study run a.toml\n% Rooflab 1.2\n"));
  const std::string& list = tables.back().files[0].content;
  EXPECT_THAT(list, HasSubstr("\n  \\input{\\rooflabtables/times}\n"));
  // What text does not show is there to be taken.
  EXPECT_THAT(list, HasSubstr("\n% \\input{\\rooflabtables/layers}\n"));
}

TEST(PageFiles, ATitleCannotBeAPath) {
  Document document;
  document.tables = {small_table("../../etc/passwd"), small_table("Tables")};
  const std::vector<PageFileGroup> tables = table_files(document, "1");
  EXPECT_EQ(tables[0].files[0].path, "tables/etc-passwd.csv");
  EXPECT_EQ(tables[1].files[0].path, "tables/tables-2.csv");
}

TEST(PageFiles, NoTablesNoList) { EXPECT_THAT(table_files(Document(), "1"), IsEmpty()); }

TEST(PageFiles, MarkdownShowsTextsAtTheirPlaces) {
  Document document = page();
  document.sections.insert(document.sections.begin() + 1, PageSection{});
  document.sections[1].heading = "Discussion";
  document.sections[1].text = "\n## As *it* is\n\n1. `x`\n";
  const std::string text = render(document, Format::markdown);
  EXPECT_THAT(text, HasSubstr("\n### Discussion\n\n## As *it* is\n\n1. `x`\n"));
  EXPECT_LT(text.find("### Times"), text.find("### Discussion"));
  const std::string html = render_html(document, "");
  EXPECT_THAT(html, HasSubstr("<h2>Discussion</h2>\n<div class=\"prose\">"));
}

}  // namespace
}  // namespace rooflab::page
