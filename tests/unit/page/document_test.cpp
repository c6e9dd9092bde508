#include "rooflab/page/document.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "parts.hpp"

namespace rooflab::page {
namespace {

using testing::ElementsAre;

Document two_layers() {
  Table table;
  table.title = "Two layers";
  table.columns = {
      {"name", "layer", Align::left}, {"macs", "MACs"}, {"phase", "phase", Align::left, true}};
  table.rows = {{"conv", si_cell(std::int64_t{1814073344}, ""), "inference"},
                {"fc", Cell("not counted", ""), "inference"}};
  table.totals = {{"total", si_cell(std::int64_t{1814073344}, ""), ""}};
  return {"Example", {table}, {"A note."}, Json({{"schema_version", 1}})};
}

TEST(Document, TableForATerminal) {
  EXPECT_EQ(render(two_layers(), Format::table),
            "Two layers\n"
            "layer         MACs\n"
            "------------------\n"
            "conv       1.814 G\n"
            "fc     not counted\n"
            "------------------\n"
            "total      1.814 G\n"
            "\n"
            "A note.\n");
}

TEST(Document, AColumnThatIsTooWideIsInFilesOnly) {
  Document document = two_layers();
  document.tables[0].columns[1].too_wide = true;
  EXPECT_EQ(render(document, Format::table),
            "Two layers\n"
            "layer\n"
            "-----\n"
            "conv\n"
            "fc\n"
            "-----\n"
            "total\n"
            "\n"
            "A note.\n");
  EXPECT_THAT(render(document, Format::markdown), testing::HasSubstr("| layer | MACs |"));
  EXPECT_THAT(render(document, Format::csv), testing::HasSubstr("1814073344"));
}

TEST(Document, BoldEndsBeforeTheLineDoes) {
  EXPECT_THAT(render(two_layers(), Format::table, {.color = true}),
              testing::HasSubstr("\n\x1b[1mlayer         MACs\x1b[0m\n---"));
}

TEST(Document, Markdown) {
  EXPECT_EQ(render(two_layers(), Format::markdown),
            "## Example\n"
            "\n"
            "### Two layers\n"
            "\n"
            "| layer | MACs |\n"
            "| :-- | --: |\n"
            "| conv | 1.814 G |\n"
            "| fc | not counted |\n"
            "| total | 1.814 G |\n"
            "\n"
            "- A note.\n");
}

TEST(Document, CsvHasBareFiguresEveryColumnAndNoTotals) {
  EXPECT_EQ(render(two_layers(), Format::csv),
            "name,macs,phase\n"
            "conv,1814073344,inference\n"
            "fc,,inference\n");
}

TEST(Document, MarkdownEscapesWhatWouldBeMarkup) {
  Document document = two_layers();
  document.tables[0].rows[0][0] = Cell("a|b<script>`*[x]");
  EXPECT_THAT(render(document, Format::markdown),
              testing::HasSubstr("| a\\|b\\<script>\\`\\*\\[x] | 1.814 G |\n"));
}

// CommonMark 0.31: emphasis, character references, and what begins a block at a line's start.
TEST(Document, MarkdownShowsTextsAsTheyAre) {
  Document document = two_layers();
  document.title = "1. #a# #";
  document.tables[0].rows[0][0] = Cell("__init__ my_layer_1 _a a_ ~~c~~ &lt; a & b");
  document.notes = {{"# a"}, {"- b"}, {"  2) c"}, {"2.5 ms"}, {"3."}, {"a # b"}};
  const std::string text = render(document, Format::markdown);
  EXPECT_THAT(text, testing::StartsWith("## 1\\. #a# \\#\n"));
  EXPECT_THAT(text, testing::HasSubstr("| \\_\\_init\\_\\_ my_layer_1 \\_a a\\_ \\~\\~c\\~\\~ "
                                       "\\&lt; a & b |"));
  EXPECT_THAT(text, testing::EndsWith("- \\# a\n- \\- b\n- 2\\) c\n- 2.5 ms\n- 3\\.\n- a # b\n"));
}

// An attempt is copied from the source, too: as code it is the same there.
TEST(Document, MarkdownKeepsACommandAsItIs) {
  Document document = two_layers();
  for (int i = 0; i < 10; ++i) {
    document.findings.push_back({"text", "", "advice", "rooflab predict 'a'\\''; `b`.onnx'"});
  }
  const std::string text = render(document, Format::markdown);
  EXPECT_THAT(text,
              testing::HasSubstr(
                  "\n9. text\n   - advice\n   - try: `` rooflab predict 'a'\\''; `b`.onnx' ``\n"
                  "10. text\n    - advice\n    - try: "));
}

TEST(Document, CsvQuotesAndReadsBack) {
  Document document = two_layers();
  document.tables[0].rows[0][0] = Cell("a,\"b\"");
  const std::vector<std::vector<std::string>> rows = read_csv(render(document, Format::csv));
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_THAT(rows[1], ElementsAre("a,\"b\"", "1814073344", "inference"));
}

TEST(Document, ControlCharactersReachNoOutput) {
  // Escape sequence, bell, a C1 control, a change of writing direction, and a byte that is not
  // UTF-8.
  const std::string hostile =
      "a\x1b[31m\x07"
      "b\xc2\x9b"
      "c\xe2\x80\xae"
      "d\xff\r\n\te";
  Document document = two_layers();
  document.title = hostile;
  document.tables[0].title = hostile;
  document.tables[0].rows[0][0] = Cell(hostile);
  document.notes = {hostile};
  document.json["name"] = hostile;
  for (const Format format : {Format::table, Format::markdown, Format::csv, Format::json}) {
    const std::string text = render(document, format);
    EXPECT_TRUE(std::ranges::none_of(text, [](char c) {
      return (static_cast<unsigned char>(c) < 0x20 && c != '\n') || c == 0x7F;
    }));
    EXPECT_EQ(text.find('\xff'), std::string::npos);
    if (format == Format::json) continue;  // its readers decide what they do with \u009b
    EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos);
    EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos);
    EXPECT_EQ(std::ranges::count(text, '\n'),
              std::ranges::count(render(two_layers(), format), '\n'));
  }
}

TEST(Document, WideNamesKeepColumnsAligned) {
  Document document = two_layers();
  document.tables[0].rows[0][0] =
      Cell("\xce\xb1\xce\xb2\xce\xb3\xce\xb4");  // four letters, eight bytes
  EXPECT_THAT(render(document, Format::table),
              testing::HasSubstr("\n\xce\xb1\xce\xb2\xce\xb3\xce\xb4       1.814 G\n"));
}

TEST(Document, FormatsByNameAndExtension) {
  EXPECT_EQ(format_from_name("md"), Format::markdown);
  EXPECT_FALSE(format_from_name("html"));
  EXPECT_FALSE(format_from_name("yaml"));
  EXPECT_EQ(format_from_extension(".json"), Format::json);
  EXPECT_EQ(format_from_extension(".txt"), Format::table);
  EXPECT_EQ(format_from_extension(".html"), Format::html);
  EXPECT_FALSE(format_from_extension(".foo"));
  EXPECT_FALSE(format_from_extension("json"));
  EXPECT_FALSE(format_from_extension(""));
}

TEST(Document, CellsOfCommonKinds) {
  EXPECT_EQ(count_cell(11689512).text, "11,689,512");
  EXPECT_EQ(count_cell(11689512).raw, "11689512");
  EXPECT_EQ(percent_cell(0.8557).text, "85.6 %");
  EXPECT_EQ(percent_cell(0.5).raw, "0.5");
  EXPECT_EQ(optional_si_cell(std::nullopt, "s").text, "-");
  EXPECT_EQ(optional_si_cell(std::nullopt, "s").raw, "");
  EXPECT_EQ(optional_si_cell(0.0564, "s").text, "56.4 ms");
}

}  // namespace
}  // namespace rooflab::page
