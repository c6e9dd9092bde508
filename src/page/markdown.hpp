#pragma once

#include <string>
#include <string_view>

namespace rooflab::page {

/// An author's text in Markdown as HTML in a `<div class="prose">`: paragraphs, headings (two
/// levels lower, below the page's own), emphasis, code, lists, quotations, tables and links. HTML
/// in it is escaped. Only links to http, https, mailto and places in the page are links; others are
/// text. A page loads nothing, so an image is shown as its description.
///
/// A build without md4c shows the paragraphs unchanged, with a message. Empty for an empty text.
[[nodiscard]] std::string html_markdown(std::string_view text);

/// Whether this build has md4c.
[[nodiscard]] bool renders_markdown();

}  // namespace rooflab::page
