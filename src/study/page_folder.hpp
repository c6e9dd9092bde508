#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "page/page_files.hpp"
#include "rooflab/page/document.hpp"

namespace rooflab::study {

/// Files next to a study's page: its charts and tables.
struct SideFiles {
  std::vector<page::PageFileGroup> charts;
  std::vector<page::PageFileGroup> tables;
  /// Reason for missing charts, with their names and advice; empty: none is missing.
  std::string missing_charts;

  /// Summary such as `5 charts in charts/ (.svg, .png, .pdf), 12 tables in tables/ (.csv, .tex)`;
  /// empty for none.
  [[nodiscard]] std::string summary() const;
};

/// Draws the charts and writes the tables of a page, in memory; the document then shows the
/// pictures in Markdown and lists all files in its JSON.
[[nodiscard]] SideFiles side_files(page::Document& document, const std::string& version);

/// Deletes files that the folder's page lists and `files` does not have, and no other file. Must be
/// called before the new page is written.
void remove_earlier_files(const std::filesystem::path& folder, const SideFiles& files);

/// Writes the files. Throws Error (system) where one cannot be written.
void write_side_files(const std::filesystem::path& folder, const SideFiles& files);

}  // namespace rooflab::study
