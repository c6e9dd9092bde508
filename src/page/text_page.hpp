#pragma once

#include <string>

#include "rooflab/page/document.hpp"

namespace rooflab::page {

/// A document for a terminal: introduction, tables, notes by their rank, commands to copy.
[[nodiscard]] std::string text_page(const Document& document, const TextStyle& style);

}  // namespace rooflab::page
