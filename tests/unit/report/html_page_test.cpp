#include "rooflab/report/html_page.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../analyze/networks.hpp"

namespace rooflab::report {
namespace {

using testing::HasSubstr;
using testing::Not;

// Stands for the bundle, references included; the page itself must have none.
const std::string bundle = "/* bundle: https://plotly.com/ */ window.Plotly = {};";

std::string page_of(const std::string& model) {
  analyze::CaseResult result =
      analyze::case_of(schedule::lower(analyze::with_unknown_ops(model, "<b>fold</b>"), {}),
                       device::Catalog::built_in().find("t4"));
  result.model = model;
  const std::vector<analyze::CaseResult> cases = {result};
  return render_html(predict_page(cases, "rooflab predict '" + model + "'"), bundle);
}

std::string without(std::string text, const std::string& part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at)) {
    text.erase(at, part.size());
  }
  return text;
}

TEST(HtmlPage, NamesFromFilesAreText) {
  const std::string html = page_of("<script>alert(1)</script>\"'&");
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, HasSubstr("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&amp;"));
  EXPECT_THAT(html, Not(HasSubstr("<b>fold")));
  EXPECT_THAT(html, HasSubstr("&lt;b&gt;fold"));
}

TEST(HtmlPage, NothingIsLoaded) {
  const std::string html = page_of("net");
  EXPECT_THAT(html, HasSubstr("http-equiv=\"Content-Security-Policy\""));
  EXPECT_THAT(html, HasSubstr("default-src 'none'"));
  EXPECT_THAT(html, HasSubstr(bundle));
  const std::string own = without(html, bundle);
  EXPECT_THAT(own, Not(HasSubstr("http://")));
  EXPECT_THAT(own, Not(HasSubstr("https://")));
  EXPECT_THAT(own, Not(HasSubstr(" src=")));
  EXPECT_THAT(own, Not(HasSubstr("<link")));
  EXPECT_THAT(own, Not(HasSubstr("@import")));
}

TEST(HtmlPage, ComparisonChartsLayersAndCommand) {
  const std::vector<analyze::CaseResult> cases = {analyze::case_of("resnet18", "t4"),
                                                  analyze::case_of("alexnet", "t4"),
                                                  analyze::case_of("alexnet", "h200")};
  const Page page = predict_page(cases, "rooflab predict ...");
  EXPECT_EQ(page.cards.size(), 3U);
  EXPECT_EQ(page.charts.size(), 2U);  // one for each device
  EXPECT_EQ(page.details.size(), 3U);
  const std::string html = render_html(page, bundle);
  EXPECT_THAT(html, HasSubstr("id=\"comparison\""));
  EXPECT_THAT(html, HasSubstr("rooflab predict ..."));
  EXPECT_THAT(html, testing::StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(html, testing::EndsWith("</html>\n"));
}

}  // namespace
}  // namespace rooflab::report
