#include "finding_part.hpp"

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "chart/html_text.hpp"
#include "chart/safe_text.hpp"
#include "text_lines.hpp"

namespace rooflab::page {
namespace {

constexpr std::string_view list_indent = "    ";

/// Lines behind a label, the further ones indented.
std::string behind(std::string_view label, const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) {
    text += format("{}{}\n", text.empty() ? label : list_indent, line);
  }
  return text;
}

/// What is left of a line behind a label; 0: lines have any length.
std::size_t room_behind(std::string_view label, std::size_t width) {
  return width == 0 ? 0 : width - std::min(width - 1, label.size());
}

/// A command line as a shell reads it, or a line of PyTorch broken at its blanks.
std::string attempt_lines(const std::string& attempt, std::size_t width) {
  constexpr std::string_view label = "    try: ";
  const std::size_t room = room_behind(label, width);
  return behind(label, attempt.starts_with("rooflab ") ? command_lines(attempt, room)
                                                       : wrapped_lines(attempt, room));
}

/// A text as Markdown's code, whose source is copied as well as what is shown: no sign in it is
/// escaped, and the backticks around it are more than any in it.
std::string markdown_code(std::string_view text) {
  std::size_t most = 0;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    most = std::max(most, run);
  }
  const std::string fence(most + 1, '`');
  const std::string_view gap = most > 0 ? " " : "";
  return format("{0}{1}{2}{1}{0}", fence, gap, text);
}

std::string line_of(const DocumentFinding& finding) {
  return finding.worth.empty() ? finding.text : format("{}: {}", finding.worth, finding.text);
}

std::size_t shown_of(const Document& document) {
  const std::size_t all = document.findings.size();
  return document.most_findings == 0 ? all : std::min(all, document.most_findings);
}

/// `said`: the advice that is above already.
std::string html_finding(const DocumentFinding& finding, std::set<std::string>& said) {
  std::string html = "<li>";
  if (!finding.worth.empty()) {
    html += format("<strong>{}</strong> ", chart::html_text(finding.worth));
  }
  html += chart::html_text(finding.text);
  if (!finding.advice.empty() && said.insert(finding.advice).second) {
    html += format("<br><span class=\"soft\">{}</span>", chart::html_text(finding.advice));
  }
  if (!finding.attempt.empty()) {
    html += format("<br><code>{}</code>", chart::html_text(finding.attempt));
  }
  if (!finding.evidence.empty()) {
    html += "<details class=\"inline\"><summary>the numbers</summary><ul>\n";
    for (const std::string& each : finding.evidence) {
      html += format("<li>{}</li>\n", chart::html_text(each));
    }
    html += "</ul></details>";
  }
  return html + "</li>\n";
}

}  // namespace

std::string findings_text(const Document& document, std::size_t width) {
  if (document.findings.empty()) return {};
  const auto safe = [](const std::string& text) { return chart::safe_text(text); };
  std::string text = format("{}\n", document.findings_heading);
  const std::size_t shown = shown_of(document);
  for (std::size_t i = 0; i < shown; ++i) {
    const DocumentFinding& finding = document.findings[i];
    const std::string label = format("{:2}. ", i + 1);
    text += behind(label, wrapped_lines(safe(line_of(finding)), room_behind(label, width)));
    if (!finding.attempt.empty()) {
      text += attempt_lines(safe(finding.attempt), width);
    }
  }
  if (const std::size_t more = document.findings.size() - shown; more > 0) {
    text += format("{}{} more: --findings all, or on the page\n", list_indent, more);
  }
  return text;
}

std::string findings_markdown(const Document& document,
                              std::string (*escaped)(std::string_view text)) {
  if (document.findings.empty()) return {};
  std::string text = format("\n### {}\n\n", escaped(document.findings_heading));
  for (std::size_t i = 0; i < document.findings.size(); ++i) {
    const DocumentFinding& finding = document.findings[i];
    const std::string number = format("{}. ", i + 1);
    const std::string below = format("{:{}}- ", "", number.size());  // in the same item
    text += format("{}{}\n", number, escaped(line_of(finding)));
    if (!finding.advice.empty()) text += format("{}{}\n", below, escaped(finding.advice));
    if (!finding.attempt.empty()) {
      text += format("{}try: {}\n", below, markdown_code(chart::safe_text(finding.attempt)));
    }
    for (const std::string& each : finding.evidence) text += format("{}{}\n", below, escaped(each));
  }
  return text;
}

std::string findings_html(const Document& document) {
  if (document.findings.empty()) return {};
  std::string html = format("<section id=\"findings\">\n<h2>{}</h2>\n<ol>\n",
                            chart::html_text(document.findings_heading));
  const std::size_t shown = shown_of(document);
  std::set<std::string> said;
  for (std::size_t i = 0; i < shown; ++i) html += html_finding(document.findings[i], said);
  html += "</ol>\n";
  if (const std::size_t more = document.findings.size() - shown; more > 0) {
    html += format("<details><summary>{} more</summary>\n<ol start=\"{}\">\n", more, shown + 1);
    for (std::size_t i = shown; i < document.findings.size(); ++i) {
      html += html_finding(document.findings[i], said);
    }
    html += "</ol></details>\n";
  }
  return html + "</section>\n";
}

}  // namespace rooflab::page
