#pragma once

#include <span>
#include <string>
#include <vector>

#include "rooflab/findings/finding.hpp"
#include "rooflab/report/document.hpp"

/// The findings of a document: how they come into it, and how each format shows them.
namespace rooflab::report {

/// Puts them into the document, and into its JSON as `findings`. `with_subjects`: several results
/// stand together.
void show_findings(Document& document, std::span<const findings::Finding> found,
                   bool with_subjects);

/// A numbered list, at most `document.most_findings`, each with what to try on a line of its own;
/// lines of at most `width` columns, 0 for no limit. Empty without findings.
[[nodiscard]] std::string findings_text(const Document& document, std::size_t width);
/// All of them; `escaped` makes a text harmless.
[[nodiscard]] std::string findings_markdown(const Document& document,
                                            std::string (*escaped)(std::string_view text));
/// The first few, the others behind a line that opens them.
[[nodiscard]] std::string findings_html(const Document& document);

}  // namespace rooflab::report
