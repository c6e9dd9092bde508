#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/json.hpp"
#include "rooflab/page/document.hpp"

/// What tests compare of pages, tables, CSV and JSON.
namespace rooflab::page {

/// The headings of a page or a document.
std::vector<std::string> headings_of(const auto& page) {
  std::vector<std::string> headings;
  for (const PageSection& section : page.sections) headings.push_back(section.heading);
  return headings;
}

/// The section under a heading that is there.
inline const PageSection& section_of(const Document& page, std::string_view heading) {
  return *std::ranges::find(page.sections, heading, &PageSection::heading);
}

/// The table of that title in text, which is there.
inline const Table& shown_table(const Document& document, std::string_view title) {
  const std::vector<const Table*> tables = document.text_tables();
  return **std::ranges::find(tables, title, &Table::title);
}

inline std::vector<std::string> texts_of(const std::vector<Cell>& cells) {
  std::vector<std::string> texts;
  for (const Cell& cell : cells) texts.push_back(cell.text);
  return texts;
}

/// A row's cells that are not for CSV alone.
inline std::vector<std::string> shown_texts(const Table& table, std::size_t row) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!table.columns[i].only_in_csv) texts.push_back(table.rows[row][i].text);
  }
  return texts;
}

/// The keys of an object, in their order.
inline std::vector<std::string> keys_of(const Json& json) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : json.items()) keys.push_back(key);
  return keys;
}

/// RFC 4180, as the tests read back what the writer wrote.
inline std::vector<std::vector<std::string>> read_csv(std::string_view text) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> row(1);
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c != '"') {
        row.back() += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        row.back() += text[++i];
      } else {
        quoted = false;
      }
    } else if (c == '"') {
      quoted = true;
    } else if (c == ',') {
      row.emplace_back();
    } else if (c == '\n') {
      rows.push_back(row);
      row.assign(1, "");
    } else {
      row.back() += c;
    }
  }
  return rows;
}

}  // namespace rooflab::page
