#include "report/markdown.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

namespace rooflab::report {
namespace {

using testing::HasSubstr;
using testing::Not;

class Markdown : public testing::Test {
 protected:
  void SetUp() override {
    if (!renders_markdown()) GTEST_SKIP() << "this build has no md4c";
  }
};

std::string html_of(const std::string& text) {
  const std::string html = html_markdown(text);
  const std::string open = "<div class=\"prose\">\n";
  return html.substr(open.size(), html.size() - open.size() - std::string("</div>\n").size());
}

TEST(MarkdownText, NoTextIsNothing) { EXPECT_EQ(html_markdown(" \n"), ""); }

TEST(MarkdownText, StaysReadableWithoutMd4c) {
  EXPECT_THAT(html_markdown("One <b>.\n\nTwo."), HasSubstr("<p>One &lt;b&gt;.</p>\n<p>Two.</p>\n"));
}

TEST_F(Markdown, ParagraphsAndWords) {
  EXPECT_EQ(html_of("One *two* **three** `x < y`\nmore.\n\nNext."),
            "<p>One <em>two</em> <strong>three</strong> <code>x &lt; y</code>\nmore.</p>\n"
            "<p>Next.</p>\n");
}

TEST_F(Markdown, HeadingsStandBelowThePagesOwn) {
  EXPECT_EQ(html_of("# A\n###### B\n"), "<h3>A</h3>\n<h6>B</h6>\n");
}

TEST_F(Markdown, ListsCodeAndTables) {
  EXPECT_EQ(html_of("- a\n- b\n"), "<ul><li>a</li>\n<li>b</li>\n</ul>\n");
  EXPECT_THAT(html_of("3. a\n"), HasSubstr("<ol start=\"3\">"));
  EXPECT_EQ(html_of("```\na <\n  b\n```\n"), "<pre><code>a &lt;\n  b\n</code></pre>\n");
  const std::string table = html_of("| a | b |\n| --- | --: |\n| 1 | 2 |\n");
  EXPECT_THAT(table, HasSubstr("<th class=\"left\">a</th><th>b</th>"));
  EXPECT_THAT(table, HasSubstr("<td class=\"left\">1</td><td>2</td>"));
}

TEST_F(Markdown, HtmlIsText) {
  const std::string html = html_of("<script>alert(1)</script>\n\n<img src=x onerror=y> &lt;b&gt;");
  EXPECT_THAT(html, Not(HasSubstr("<script")));
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;"));
  EXPECT_THAT(html, HasSubstr("&lt;b&gt;"));
}

TEST_F(Markdown, OnlyGoodAddressesAreLinks) {
  EXPECT_EQ(html_of("[a](https://x.org/?a=1&b=\"2\")"),
            "<p><a href=\"https://x.org/?a=1&amp;b=&quot;2&quot;\" rel=\"noopener noreferrer\">a"
            "</a></p>\n");
  EXPECT_THAT(html_of("[a](#section-tables)"), HasSubstr("href=\"#section-tables\""));
  for (const char* const bad :
       {"[a](javascript:alert(1))", "[a](JaVaScRiPt:x)", "[a](java&#115;cript:x)",
        "[a](data:text/html,x)", "[a](file:///etc/passwd)", "[a](../x.html)"}) {
    EXPECT_EQ(html_of(bad), "<p>a</p>\n") << bad;
  }
}

TEST_F(Markdown, ImagesAreTheirDescriptions) {
  EXPECT_EQ(html_of("![a *b*](https://x.org/y.png)"),
            "<p><span class=\"soft\">[image: a <em>b</em>]</span></p>\n");
}

TEST_F(Markdown, NothingTurnsTheDirectionOfWriting) {
  EXPECT_THAT(html_of("a &#x202E; b"), Not(HasSubstr("\u202e")));
  EXPECT_THAT(html_of("a \u202e b"), Not(HasSubstr("\u202e")));
}

}  // namespace
}  // namespace rooflab::report
