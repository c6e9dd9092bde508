#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooflab/findings/finding.hpp"
#include "rooflab/report/document.hpp"

/// Findings of a document, and their form in each format.
namespace rooflab::report {

/// Puts findings into the document, and into its JSON as `findings`. `with_subjects`: the document
/// has several results.
void show_findings(Document& document, std::span<const findings::Finding> found,
                   bool with_subjects);

/// Findings as a numbered list, at most `document.most_findings`, each with the line to try on a
/// separate line; lines have at most `width` columns (0: no limit). Empty without findings.
[[nodiscard]] std::string findings_text(const Document& document, std::size_t width);
/// All findings as Markdown; `escaped` escapes a text.
[[nodiscard]] std::string findings_markdown(const Document& document,
                                            std::string (*escaped)(std::string_view text));
/// Findings as HTML: the first few, and a line that opens the others.
[[nodiscard]] std::string findings_html(const Document& document);

}  // namespace rooflab::report
