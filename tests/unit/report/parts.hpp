#pragma once

#include <string>
#include <vector>

#include "rooflab/report/html_page.hpp"

/// What tests compare of pages and tables.
namespace rooflab::report {

/// The headings of a page or a document.
std::vector<std::string> headings_of(const auto& page) {
  std::vector<std::string> headings;
  for (const PageSection& section : page.sections) headings.push_back(section.heading);
  return headings;
}

inline std::vector<std::string> texts_of(const std::vector<Cell>& cells) {
  std::vector<std::string> texts;
  for (const Cell& cell : cells) texts.push_back(cell.text);
  return texts;
}

}  // namespace rooflab::report
