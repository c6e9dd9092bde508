#pragma once

#include <string>
#include <string_view>

#include "rooflab/page/document.hpp"

/// The findings of a document in each format.
namespace rooflab::page {

/// Findings as a numbered list, at most `document.most_findings`, each with the line to try on a
/// separate line; lines have at most `width` columns (0: no limit). Empty without findings.
[[nodiscard]] std::string findings_text(const Document& document, std::size_t width);
/// All findings as Markdown; `escaped` escapes a text.
[[nodiscard]] std::string findings_markdown(const Document& document,
                                            std::string (*escaped)(std::string_view text));
/// Findings as HTML: the first few, and a line that opens the others.
[[nodiscard]] std::string findings_html(const Document& document);

}  // namespace rooflab::page
