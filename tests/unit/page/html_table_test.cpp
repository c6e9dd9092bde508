#include "page/html_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/format.hpp"

namespace rooflab::page {
namespace {

using testing::HasSubstr;
using testing::Not;

Table table_of_rows(int rows) {
  Table table;
  table.columns = {{"kernel", "kernel", Align::left},
                   {"time_s", "time"},
                   {"batch", "batch", Align::right, true}};
  for (int i = 0; i < rows; ++i) {
    table.rows.push_back({format("kernel {}", i), Cell("1.2 ms", "0.0012"), "8"});
  }
  return table;
}

// One unit a column sorts as it is shown; words next to a figure do not.
TEST(HtmlTable, CellsHaveTheirFigureWhereTheTextDoesNotSort) {
  Table with_words = table_of_rows(1);
  with_words.rows[0][1].text = "1.2 ms (slowest of all)";
  EXPECT_THAT(html_table(with_words, "t"), HasSubstr("<td data-raw=\"0.0012\">1.2 ms (slowest"));
  const std::string html = html_table(table_of_rows(1), "t");
  EXPECT_THAT(html, HasSubstr("<td class=\"left\">kernel 0</td>"
                              "<td>1.20</td></tr>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"col\" class=\"\">time, ms</th>"));
  EXPECT_THAT(html, Not(HasSubstr("batch")));  // only in CSV
  EXPECT_THAT(html, Not(HasSubstr("search")));
}

// The style sheet hides them until the button is pressed, and on paper.
TEST(HtmlTable, ColumnsThatATerminalLeavesOutAreMarked) {
  Table table = table_of_rows(1);
  table.columns[1].too_wide = true;
  const std::string html = html_table(table, "t");
  EXPECT_THAT(html, HasSubstr("<th scope=\"col\" class=\"left\">kernel</th>"
                              "<th scope=\"col\" class=\"wide\">time, ms</th>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"wide\">1.20</td>"));
  EXPECT_THAT(html, HasSubstr("data-widens=\"t\""));
  table.columns[1].too_wide = false;
  EXPECT_THAT(html_table(table, "t"), Not(HasSubstr("data-widens")));
}

TEST(HtmlTable, LongOnesHaveAFilterAndShowTheFirstRows) {
  EXPECT_THAT(html_table(table_of_rows(7), "t"), Not(HasSubstr("data-filters")));
  const std::string all = html_table(table_of_rows(200), "t");
  EXPECT_THAT(all, HasSubstr("data-filters=\"t\""));
  EXPECT_THAT(all, Not(HasSubstr("data-first")));
  EXPECT_THAT(all, Not(HasSubstr("<button")));
  const std::string some = html_table(table_of_rows(201), "t");
  EXPECT_THAT(some, HasSubstr("<table id=\"t\" data-first=\"200\">"));
  EXPECT_THAT(some, HasSubstr("<button type=\"button\" data-shows=\"t\" hidden>"));
  EXPECT_THAT(some, HasSubstr("kernel 200"));  // the filter finds it
}

TEST(HtmlTable, NamesAreText) {
  Table table = table_of_rows(1);
  const std::string name = "<img src=x onerror=alert(1)>";
  table.columns[0].title = name;
  table.rows[0][0] = Cell(name, "\" onclick=\"alert(1)\xff");
  table.rows[0][1] = Cell("</td></table><script>");
  const std::string html = html_table(table, "t");
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, Not(HasSubstr("<script>")));
  EXPECT_THAT(html, HasSubstr("data-raw=\"&quot; onclick=&quot;alert(1)\xEF\xBF\xBD\">"
                              "&lt;img src=x onerror=alert(1)&gt;</td>"));
}

TEST(HtmlTable, SharesAreBarsAndHeadsAreExplained) {
  Table table;
  table.columns = {{"kernel", "kernel", Align::left}, {"time_share", "share"}};
  table.columns[1].bar = true;
  table.columns[1].about = "Part of the \"whole\".";
  table.rows = {{"k", percent_cell(0.375)}};
  const std::string html = html_table(table, "t");
  EXPECT_THAT(html, HasSubstr("<td class=\"share\" style=\"background-size:37.5% 100%\">37.5 %"));
  EXPECT_THAT(html, HasSubstr("title=\"Part of the &quot;whole&quot;.\">share</th>"));
}

TEST(HtmlTable, NamesOfKernelsAreCutInTheMiddleAndWholeAtThePointer) {
  Table table;
  table.columns = {{"kernel", "kernel", Align::left}};
  table.columns[0].cut = true;
  const std::string name = "first" + std::string(100, 'k') + "last";
  table.rows = {{name}};
  const std::string html = html_table(table, "t");
  EXPECT_THAT(html, HasSubstr("\xE2\x80\xA6"));  // the ellipsis
  EXPECT_THAT(html, HasSubstr("last</td>"));
  EXPECT_THAT(html, HasSubstr("title=\"" + name + "\""));
}

TEST(HtmlTable, LongNamesMayBreak) {
  Table table = table_of_rows(1);
  table.rows[0][0] = std::string(100, 'k');
  EXPECT_THAT(html_table(table, "t"), HasSubstr("<td class=\"left long\"><div>kkk"));
  table.rows[0][0] = std::string(500, 'k');
  EXPECT_THAT(html_table(table, "t"), HasSubstr("<td class=\"left long\" title=\"kkk"));
}

// Half of the row's images are of that class.
TEST(HtmlTable, PartsOfARowAreShaded) {
  Table table;
  table.columns = {{"label", "label", Align::left},
                   {.key = "a", .title = "a", .heat = true},
                   {.key = "b", .title = "b", .heat = true}};
  table.rows = {{"cat", count_cell(3), count_cell(1)}};
  const std::string html = html_table(table, "t");
  EXPECT_THAT(html, HasSubstr("style=\"background-color:rgba(11,87,164,0.45)\">3"));
  EXPECT_THAT(html, HasSubstr("style=\"background-color:rgba(11,87,164,0.15)\">1"));
}

// The layers of one network on two devices differ in their times only.
TEST(HtmlTable, ColumnsOfTablesThatComeLaterAreKeptOnce) {
  ColumnPool pool;
  Table table;
  table.columns = {{"layer", "layer", Align::left}, {"time_s", "time"}};
  table.rows = {{"conv</script>", si_cell(1e-3, "s")}, {"relu", si_cell(2e-3, "s")}};
  const std::string first = html_table_later(table, "t", pool);
  table.rows[0][1] = si_cell(3e-3, "s");
  const std::string second = html_table_later(table, "u", pool);
  EXPECT_THAT(first, HasSubstr("data-columns=\"0,1\""));
  EXPECT_THAT(second, HasSubstr("data-columns=\"0,2\""));
  EXPECT_THAT(first, Not(HasSubstr("relu")));
  const std::string html = pool.html();
  EXPECT_EQ(html.find("relu"), html.rfind("relu"));
  EXPECT_THAT(html, HasSubstr(">1.00\\n>2.00"));
  EXPECT_EQ(html.find("</script>"), html.rfind("</script>"));
}

}  // namespace
}  // namespace rooflab::page
