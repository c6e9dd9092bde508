#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../analyze/networks.hpp"
#include "rooflab/page/document.hpp"
#include "rooflab/report/views.hpp"

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
  return page::render_html(predict_view(cases, {.command = "rooflab predict '" + model + "'"}),
                           bundle);
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

TEST(HtmlPage, SectionsInOrderWithTheirIds) {
  page::Document page;
  page.title = "t";
  page::PageSection section{.heading = "Where the time went: </h2><b>", .notes = {"a note"}};
  section.tables = {{"a title", {{"a", "a"}}, {{"1"}}, {}}};
  section.command = "rooflab import run.csv";
  page.sections = {section, {.heading = "empty"}, section, {.notes = {"no heading"}}};
  const std::string html = page::render_html(page, bundle);
  EXPECT_THAT(html, HasSubstr("<section id=\"section-where-the-time-went-h2-b\">\n"
                              "<h2>Where the time went: &lt;/h2&gt;&lt;b&gt;</h2>\n"
                              "<h3>a title</h3>\n"));
  EXPECT_THAT(html, HasSubstr("<section id=\"section-where-the-time-went-h2-b-2\">"));
  EXPECT_THAT(html,
              HasSubstr("<li>a note</li>\n</ul>\n<p><code>rooflab import run.csv</code></p>"));
  EXPECT_THAT(html, HasSubstr("<section id=\"section\">\n<ul>"));
  EXPECT_THAT(html, HasSubstr("table id=\"table-2\""));
  EXPECT_THAT(html, Not(HasSubstr("empty")));
  EXPECT_THAT(html, Not(HasSubstr("<nav")));  // three sections
}

TEST(HtmlPage, MoreThanThreeSectionsHaveContents) {
  page::Document page;
  for (const char* heading : {"One", "Two", "Three", "Four <i>"}) {
    page.sections.push_back({.heading = heading, .notes = {"n"}});
  }
  const std::string html = page::render_html(page, bundle);
  EXPECT_THAT(html,
              HasSubstr("<nav aria-label=\"contents\"><ul>\n<li><a href=\"#section-one\">One</a>"));
  EXPECT_THAT(html, HasSubstr("<a href=\"#section-four-i\">Four &lt;i&gt;</a>"));
  EXPECT_THAT(html, HasSubstr("<section id=\"section-four-i\">"));
}

TEST(HtmlPage, HostileTextsAreText) {
  const std::string name = "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"\xff";
  page::Document page;
  page.title = page.subtitle = page.command = name;
  page.answer = {name};
  page::PageSection section{.heading = name};
  section.bars = {{name, name, {{name, 1.0, name}}}};
  chart::Chart chart;
  chart.title = chart.subtitle = name;
  chart.captions = {name};
  chart.x.label = chart.y.label = chart.x.unit = name;
  chart.guides = {{name, {{0.0, 0.0}, {1.0, 1.0}}}};
  chart.series = {
      {.name = name, .points = {{.x = 1.0, .y = 1.0, .label = name, .details = {name}}}}};
  section.charts = {{name, chart}};
  const page::Table table = {name, {{name, name, page::Align::left}}, {{name}}, {{name}}};
  section.tables = {table};
  section.notes = {name};
  section.command = name;
  section.details = {{name, table, {name}, name}};
  page.sections = {section};
  const std::string html = page::render_html(page, bundle);
  EXPECT_THAT(html, Not(HasSubstr("<img")));
  EXPECT_THAT(html, Not(HasSubstr("<script>alert")));
  EXPECT_THAT(html, Not(HasSubstr("\xff")));
  // The bundle, the chart, the columns of what is opened later and the page's own.
  EXPECT_EQ(without(html, "</script>").size() + 4 * std::string("</script>").size(), html.size());
}

TEST(HtmlPage, ManyDevicesHaveATableAndNoRooflines) {
  std::vector<analyze::CaseResult> cases;
  const std::vector<device::Device> devices = device::Catalog::built_in().devices();
  for (const device::Device& each : devices) {
    if (cases.size() < 8) cases.push_back(analyze::case_of("alexnet", each.id));
  }
  const page::PageSection many = predict_view(cases).sections.at(2);
  EXPECT_TRUE(many.charts.empty());
  ASSERT_EQ(many.notes.size(), 1U);
  EXPECT_THAT(many.notes[0].text, HasSubstr("rooflines of 8 devices are left out"));
  cases.pop_back();
  EXPECT_EQ(predict_view(cases).sections.at(2).charts.size(), 7U);
}

TEST(HtmlPage, ComparisonChartsLayersAndCommand) {
  const std::vector<analyze::CaseResult> cases = {analyze::case_of("resnet18", "t4"),
                                                  analyze::case_of("alexnet", "t4"),
                                                  analyze::case_of("alexnet", "h200")};
  const page::Document page = predict_view(cases, {.command = "rooflab predict ..."});
  EXPECT_EQ(page.title, "resnet18, alexnet on t4, h200-sxm: batch 1, inference, fp32");
  EXPECT_EQ(page.dots.size(), 3U);
  ASSERT_EQ(page.sections.size(), 4U);
  EXPECT_EQ(page.sections[0].tables.at(0).rows.size(), 3U);
  EXPECT_TRUE(page.sections[1].bars.empty());     // no predicted time
  EXPECT_EQ(page.sections[2].charts.size(), 2U);  // one for each device
  EXPECT_EQ(page.sections[3].details.size(), 3U);
  const std::string html = page::render_html(page, bundle);
  EXPECT_THAT(html, HasSubstr("<section id=\"section-comparison\">\n<h2>Comparison</h2>"));
  EXPECT_THAT(html, HasSubstr("rooflab predict ..."));
  EXPECT_THAT(html, testing::StartsWith("<!DOCTYPE html>"));
  EXPECT_THAT(html, testing::EndsWith("</html>\n"));
}

TEST(HtmlPage, ManyLinesThatOpenWaitBehindOne) {
  page::Document page;
  page::PageSection section{.heading = "Layers"};
  page::PageDetail detail;
  detail.heading = "one of them";
  section.details.assign(12, detail);
  page.sections = {section};
  EXPECT_THAT(page::render_html(page, ""), Not(HasSubstr("<summary>12 tables</summary>")));
  page.sections[0].details.push_back(detail);
  EXPECT_THAT(
      page::render_html(page, ""),
      HasSubstr("<details><summary>13 tables</summary>\n<template>\n<details><summary>one of"));
}

TEST(HtmlPage, FindingsHaveTheirHeadingAndNumbers) {
  page::Document page;
  page.findings_heading = "What explains <it>";
  page.findings = {{.text = "a finding", .worth = "2x off", .evidence = {"1 < 2"}}};
  for (const char* heading : {"a", "b", "c", "d"}) {
    page.sections.push_back({.heading = heading, .notes = {"a note"}});
  }
  const std::string html = page::render_html(page, "");
  EXPECT_THAT(html, HasSubstr("<h2>What explains &lt;it&gt;</h2>"));
  EXPECT_THAT(html, HasSubstr("<summary>the numbers</summary><ul>\n<li>1 &lt; 2</li>"));
  EXPECT_THAT(html, HasSubstr("<a href=\"#findings\">What explains &lt;it&gt;</a>"));
  const std::string markdown = page::render(page, page::Format::markdown);
  EXPECT_THAT(markdown, HasSubstr("1. 2x off: a finding\n   - 1 \\< 2\n"));
}

}  // namespace
}  // namespace rooflab::report
