#include "rooflab/report/html_page.hpp"

#include "page_style.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/chart/plotly_renderer.hpp"

namespace rooflab::report {
namespace {

/// Nothing may be fetched: only what stands in the file itself runs and styles.
constexpr std::string_view security_policy =
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:;"
    " base-uri 'none'; form-action 'none'";

std::string_view tone_of(std::string_view text) {
  if (text == "fits") return "good";
  if (text == "tight" || text == "unsupported" || text == "interrupted") return "warning";
  return text == "oom" || text == "failed" || text == "crashed" ? "bad" : "";
}

std::string html_row(const Table& table, const std::vector<Cell>& row) {
  std::string html = "<tr>";
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (table.columns[i].only_in_csv) continue;
    std::string classes = table.columns[i].align == Align::left ? "left" : "";
    if (const std::string_view tone = tone_of(row[i].text); !tone.empty()) {
      classes += format(" {}", tone);
    }
    html += format("<td class=\"{}\" data-raw=\"{}\">{}</td>", classes, escape_html(row[i].raw),
                   escape_html(row[i].text));
  }
  return html + "</tr>\n";
}

std::string html_table(const Table& table, const std::string& id) {
  std::string html;
  constexpr std::size_t rows_worth_a_filter = 8;
  if (table.rows.size() >= rows_worth_a_filter) {
    html += format(
        "<input type=\"search\" data-filters=\"{}\" placeholder=\"filter rows\""
        " aria-label=\"filter rows\">\n",
        id);
  }
  html += format("<div class=\"scroll\"><table id=\"{}\">\n<thead><tr>", id);
  for (const Column& column : table.columns) {
    if (column.only_in_csv) continue;
    html += format("<th scope=\"col\" class=\"{}\">{}</th>",
                   column.align == Align::left ? "left" : "", escape_html(column.title));
  }
  html += "</tr></thead>\n<tbody>\n";
  for (const std::vector<Cell>& row : table.rows) html += html_row(table, row);
  html += "</tbody>\n";
  if (!table.totals.empty()) {
    html += "<tfoot>\n";
    for (const std::vector<Cell>& row : table.totals) html += html_row(table, row);
    html += "</tfoot>\n";
  }
  return html + "</table></div>\n";
}

std::string html_cards(const std::vector<PageCard>& cards) {
  if (cards.empty()) return {};
  std::string html = "<div class=\"cards\">\n";
  for (const PageCard& card : cards) {
    html += format(
        "<div class=\"card\"><div class=\"title\">{}</div><div class=\"value {}\">{}</div>"
        "<div class=\"remark\">{}</div></div>\n",
        escape_html(card.title), escape_html(card.tone), escape_html(card.value),
        escape_html(card.remark));
  }
  return html + "</div>\n";
}

std::string html_notes(const std::vector<std::string>& notes) {
  if (notes.empty()) return {};
  std::string html = "<ul>\n";
  for (const std::string& note : notes) html += format("<li>{}</li>\n", escape_html(note));
  return html + "</ul>\n";
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
        escape_html(error.what()), escape_html(error.hint()));
  }
}

std::string html_detail(const PageDetail& detail, std::size_t number) {
  std::string html = format("<details><summary>{}</summary>\n", escape_html(detail.heading));
  html += html_notes(detail.notes);
  if (!detail.command.empty()) {
    html += format("<p><code>{}</code></p>\n", escape_html(detail.command));
  }
  html += html_table(detail.table, format("layers-{}", number));
  return html + "</details>\n";
}

}  // namespace

std::string render_html(const Page& page, const std::string& plotly) {
  std::string html = format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n<style>{}</style>\n",
      security_policy, escape_html(page.title), page_style);
  const bool interactive = !plotly.empty() && !page.charts.empty();
  if (interactive) html += format("<script>{}</script>\n", plotly);
  html += format("</head>\n<body>\n<h1>{}</h1>\n<p class=\"soft\">{}</p>\n",
                 escape_html(page.title), escape_html(page.subtitle));
  html += html_cards(page.cards);
  if (!page.document.tables.empty()) {
    html += format("<h2>{}</h2>\n", escape_html(page.table_heading));
    html += html_table(page.document.tables.front(), "comparison");
    html += html_notes(page.document.notes);
  }
  for (std::size_t i = 0; i < page.charts.size(); ++i) {
    if (!page.charts[i].heading.empty()) {
      html += format("<h2>{}</h2>\n", escape_html(page.charts[i].heading));
    }
    html += html_chart(page.charts[i], i + 1, interactive);
  }
  if (!page.details.empty()) html += format("<h2>{}</h2>\n", escape_html(page.details_heading));
  for (std::size_t i = 0; i < page.details.size(); ++i) {
    html += html_detail(page.details[i], i + 1);
  }
  html +=
      format("<h2>Command</h2>\n<p><code>{}</code></p>\n<script>{}</script>\n</body>\n</html>\n",
             escape_html(page.command), page_script);
  return html;
}

}  // namespace rooflab::report
