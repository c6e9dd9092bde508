#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "base/shell_words.hpp"
#include "chart/html_bars.hpp"
#include "chart/html_dots.hpp"
#include "chart/html_spread.hpp"
#include "chart/html_strip.hpp"
#include "chart/html_text.hpp"
#include "chart/renderers.hpp"
#include "finding_part.hpp"
#include "html_table.hpp"
#include "markdown.hpp"
#include "page_script.hpp"
#include "page_style.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/page/document.hpp"
#include "slug.hpp"

namespace rooflab::page {
namespace {

/// Nothing may be fetched: only what is in the file itself runs and styles.
constexpr std::string_view security_policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:;"
    " base-uri 'none'; form-action 'none'";

constexpr std::size_t sections_worth_contents = 4;
constexpr std::size_t most_lines = 12;  ///< that open a table, one below the other
constexpr std::size_t most_bars = 24;   ///< one below the other

bool is_empty(const PageSection& section) {
  return section.text.empty() && section.dots.empty() && section.bars.empty() &&
         section.strips.empty() && section.spreads.empty() && section.charts.empty() &&
         section.tables.empty() && section.notes.empty() && section.command.empty() &&
         section.details.empty();
}

/// `section-where-the-time-went`
std::string section_id(std::string_view heading) {
  const std::string words = slug(heading);
  return words.empty() ? "section" : "section-" + words;
}

std::string html_notes(const Remarks& notes) {
  if (notes.empty()) return {};
  std::string html = "<ul>\n";
  for (const Remark& note : notes) html += format("<li>{}</li>\n", chart::html_text(note.text));
  return html + "</ul>\n";
}

std::string html_command(const std::string& command) {
  return command.empty() ? "" : format("<p><code>{}</code></p>\n", chart::html_text(command));
}

std::string html_chart(const PageChart& page_chart, std::size_t number, bool interactive) {
  if (interactive) {
    return chart::render_html_fragment(page_chart.chart, format("chart-{}", number),
                                       page_chart.size);
  }
  try {
    return chart::render_html_image(page_chart.chart, page_chart.size);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::capability) throw;
    return format(
        "<p class=\"warning\">No chart: the Plotly bundle is not installed, and {}. {}</p>\n",
        chart::html_text(error.what()), chart::html_text(error.hint()));
  }
}

/// Writes sections; charts and tables are numbered through the page.
class BodyWriter {
 public:
  /// `before`: the heading of what has the id `findings` above them; may be empty.
  BodyWriter(const std::vector<const PageSection*>& sections, bool interactive, std::string before)
      : interactive_(interactive), before_(std::move(before)) {
    for (const PageSection* const section : sections) {
      if (is_empty(*section)) continue;
      (void)take_name(section_id(section->heading), ids_);
      sections_.push_back(section);
    }
  }

  [[nodiscard]] std::string contents() const {
    const auto with_heading = std::ranges::count_if(
        sections_, [](const PageSection* section) { return !section->heading.empty(); });
    if (static_cast<std::size_t>(with_heading) < sections_worth_contents) return {};
    std::string html = "<nav aria-label=\"contents\"><ul>\n";
    if (!before_.empty()) {
      html += format("<li><a href=\"#findings\">{}</a></li>\n", chart::html_text(before_));
    }
    for (std::size_t i = 0; i < sections_.size(); ++i) {
      if (sections_[i]->heading.empty()) continue;
      html += format("<li><a href=\"#{}\">{}</a></li>\n", ids_[i],
                     chart::html_text(sections_[i]->heading));
    }
    return html + "</ul></nav>\n";
  }

  [[nodiscard]] std::string sections() {
    std::string html;
    for (std::size_t i = 0; i < sections_.size(); ++i) html += section(*sections_[i], ids_[i]);
    return html;
  }

  /// The cells of tables that are drawn when they are opened; after sections().
  [[nodiscard]] std::string columns() const { return columns_.html(); }

 private:
  std::string section(const PageSection& section, const std::string& id) {
    std::string html = format("<section id=\"{}\">\n", id);
    if (!section.heading.empty())
      html += format("<h2>{}</h2>\n", chart::html_text(section.heading));
    html += html_markdown(section.text) + chart::html_dots(section.dots, section.dot_axis);
    html += folded(section.bars.size() > most_bars, plural(section.bars.size(), "bar"),
                   chart::html_bars(section.bars, section.bar_scale));
    html += chart::html_strips(section.strips, section.timeline_command);
    html += chart::html_spreads(section.spreads) + charts(section);
    for (const Table& table : section.tables) {
      html += subheading(table.title, section.heading);
      html += html_table(table, format("table-{}", ++tables_));
    }
    html += html_notes(section.notes) + html_command(harmless_command(section.command));
    std::string lines;
    for (const PageDetail& detail : section.details) lines += line(detail);
    html +=
        folded(section.details.size() > most_lines, plural(section.details.size(), "table"), lines);
    return html + "</section>\n";
  }

  /// Behind a line that opens it. Drawn when its reader does: a page of many cases has thousands of
  /// rows there.
  static std::string behind_line(const std::string& summary, const std::string& content) {
    return format("<details><summary>{}</summary>\n<template>\n{}</template></details>\n", summary,
                  content);
  }

  /// Many of one kind are behind a separate line.
  static std::string folded(bool is_long, const std::string& summary, const std::string& content) {
    return is_long ? behind_line(summary, content) : content;
  }

  std::string line(const PageDetail& detail) {
    std::string summary = chart::html_text(detail.heading);
    for (const chart::Spark& spark : detail.sparks) summary += chart::html_spark(spark);
    std::string content = html_notes(detail.notes) + html_command(harmless_command(detail.command));
    for (const PageChart& chart : detail.charts) {
      content += html_chart(chart, ++charts_, interactive_);
    }
    if (!detail.table.columns.empty()) {
      content += html_table_later(detail.table, format("table-{}", ++tables_), columns_);
    }
    return behind_line(summary, content);
  }

  /// The first chart with what the others have in their legends.
  static chart::Chart with_all_keys(std::span<const PageChart> charts) {
    chart::Chart all = charts.front().chart;
    for (const PageChart& each : charts.subspan(1)) {
      for (const chart::Series& series : each.chart.series) {
        if (series.keyed &&
            std::ranges::find(all.series, series.name, &chart::Series::name) == all.series.end()) {
          all.series.push_back(series);
        }
      }
    }
    return all;
  }

  std::string charts(const PageSection& section) {
    const bool one_legend = section.side_by_side && interactive_;  // pictures have their own
    std::string html = one_legend ? chart::render_html_legend(with_all_keys(section.charts)) : "";
    if (section.side_by_side) html += "<div class=\"side-by-side\">\n";
    for (PageChart chart : section.charts) {
      html += subheading(chart.heading, section.heading);
      if (one_legend) chart.chart = chart::without_legend(std::move(chart.chart));
      html += html_chart(chart, ++charts_, interactive_);
    }
    return html + (section.side_by_side ? "</div>\n" : "");
  }

  static std::string subheading(const std::string& text, const std::string& heading) {
    return text.empty() || text == heading ? "" : format("<h3>{}</h3>\n", chart::html_text(text));
  }

  bool interactive_;
  ColumnPool columns_;
  std::string before_;
  std::vector<const PageSection*> sections_;
  std::vector<std::string> ids_;
  std::size_t charts_ = 0;
  std::size_t tables_ = 0;
};

std::string html_foot(const Document& document) {
  std::string html = "<footer>\n";
  for (const std::string& basis : document.bases)
    html += format("<p>{}</p>\n", chart::html_text(basis));
  if (!document.command.empty())
    html += format("<p>Made by:</p>\n{}", html_command(document.command));
  if (!document.made_by.empty()) html += format("<p>{}</p>\n", chart::html_text(document.made_by));
  return html + "</footer>\n";
}

}  // namespace

Document chart_document(chart::Chart chart, std::string command) {
  Document document;
  document.title = std::exchange(chart.title, "");
  document.command = std::move(command);
  document.sections.push_back({.charts = {{"", std::move(chart)}}});
  return document;
}

std::string render_html(const Document& document, const std::string& plotly) {
  const PageSection first{.tables = document.tables, .notes = document.notes};
  std::vector<const PageSection*> sections;
  if (!first.tables.empty()) sections.push_back(&first);
  for (const PageSection& section : document.sections) sections.push_back(&section);
  const std::vector<std::string>& answer =
      document.answer.empty() ? document.introduction : document.answer;
  const bool charts = std::ranges::any_of(sections, [](const PageSection* section) {
    return !section->charts.empty() ||
           std::ranges::any_of(section->details,
                               [](const PageDetail& each) { return !each.charts.empty(); });
  });
  const bool interactive = charts && !plotly.empty();
  std::string html = format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}{}</style>\n",
      security_policy, chart::html_text(document.title), page_style, chart::hue_style());
  if (interactive) html += format("<script>{}</script>\n", plotly);
  html += format("</head>\n<body>\n<h1>{}</h1>\n", chart::html_text(document.title));
  if (!document.subtitle.empty()) {
    html += format("<p class=\"soft\">{}</p>\n", chart::html_text(document.subtitle));
  }
  for (const std::string& sentence : answer) {
    html += format("<p class=\"answer\">{}</p>\n", chart::html_text(sentence));
  }
  html += chart::html_dots(document.dots, document.dot_axis) + findings_html(document);
  BodyWriter body(sections, interactive,
                  document.findings.empty() ? "" : document.findings_heading);
  html +=
      "<noscript><p class=\"soft\">Without scripts the lines that open a table stay closed: `-o`"
      " FILE.md or FILE.json has all of it.</p></noscript>\n";
  html += body.contents() + body.sections();
  for (const CommandBlock& each : document.commands) {
    if (each.command == document.command) continue;
    html += format("<p>{}:</p>\n{}", chart::html_text(each.what), html_command(each.command));
  }
  return html + html_foot(document) + body.columns() +
         format("<script>{}</script>\n</body>\n</html>\n", page_script);
}

}  // namespace rooflab::page
