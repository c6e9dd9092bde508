#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "report/page_files.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::study {

/// What stands beside a study's page: its charts and tables as files.
struct SideFiles {
  std::vector<report::PageFileGroup> charts;
  std::vector<report::PageFileGroup> tables;
  /// Why the charts are missing, which of them, and what helps; empty: they are there.
  std::string missing_charts;

  /// `5 charts in charts/ (.svg, .png, .pdf), 12 tables in tables/ (.csv, .tex)`; empty for none.
  [[nodiscard]] std::string summary() const;
};

/// Draws the charts and writes the tables of a page, in memory; the document then shows the
/// pictures in Markdown and lists all files in its JSON.
[[nodiscard]] SideFiles side_files(report::Document& document, const std::string& version);

/// Deletes the files that the page in the folder lists and `files` does not have; no other file.
/// Called before a new page is there.
void remove_earlier_files(const std::filesystem::path& folder, const SideFiles& files);

/// Throws Error (system) where one cannot be written.
void write_side_files(const std::filesystem::path& folder, const SideFiles& files);

}  // namespace rooflab::study
