// The page's JSON lists the files next to the page, so that the next page of the folder knows
// which files were written for this one. Files go before the list that no longer has them, and come
// after the list that has them: whenever this is cut short, no file of an earlier page stays
// without being listed.

#include "page_folder.hpp"

#include <algorithm>
#include <set>

#include "base/format.hpp"
#include "describe/json_fields.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/describe/figure_key.hpp"
#include "rooflab/system/file.hpp"
#include "system/path_status.hpp"

namespace rooflab::study {
namespace {

namespace fs = std::filesystem;

constexpr FigureKey page_files_key = "page_files";
constexpr FigureKey title_key = "title";
constexpr FigureKey files_key = "files";

std::set<std::string> paths_of(const SideFiles& files) {
  std::set<std::string> paths;
  for (const auto* groups : {&files.charts, &files.tables}) {
    for (const page::PageFileGroup& group : *groups) {
      for (const page::PageFile& file : group.files) paths.insert(file.path);
    }
  }
  return paths;
}

Json list_json(const SideFiles& files) {
  Json list = Json::array();
  for (const auto* groups : {&files.charts, &files.tables}) {
    for (const page::PageFileGroup& group : *groups) {
      std::vector<std::string> paths;
      for (const page::PageFile& file : group.files) paths.push_back(file.path);
      list.push_back({{title_key.key(), group.title}, {files_key.key(), paths}});
    }
  }
  return list;
}

/// A path that side_files() can have given. A list may come from anywhere: nothing else is deleted.
bool is_side_path(const std::string& path) {
  const std::size_t slash = path.find('/');
  if (slash == std::string::npos) return false;
  const std::string folder = path.substr(0, slash);
  if (folder != page::chart_folder && folder != page::table_folder) return false;
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.';
  };
  return std::ranges::all_of(path.substr(slash + 1), is_plain) && path[slash + 1] != '.';
}

/// The list of the page that is there; another file has none to give.
std::vector<std::string> listed_paths(const fs::path& folder) {
  std::vector<std::string> paths;
  const fs::path page = folder / "report.json";
  if (!is_file(page)) return paths;
  try {
    const Json json = parse_json(read_file(page), page.string());
    if (!json.is_object() || !json.contains(page_files_key.key())) return paths;
    for (const Json& group : json[page_files_key.key()]) {
      if (!group.is_object() || !group.contains(files_key.key())) continue;
      for (const Json& file : group[files_key.key()]) {
        if (file.is_string() && is_side_path(file.text())) paths.push_back(file.text());
      }
    }
  } catch (const Error&) {
    return {};
  }
  return paths;
}

std::string missing_text(const std::vector<std::string>& paths, const Error& error) {
  constexpr std::size_t most_named = 3;
  std::vector<std::string> names;
  for (const std::string& path : paths) {
    std::string name = fs::path(path).replace_extension().string();
    if (names.empty() || names.back() != name) names.push_back(std::move(name));
  }
  const std::size_t more = names.size() - std::min(names.size(), most_named);
  names.resize(names.size() - more);
  return format("not written: {}{} (.svg, .png, .pdf): {}{}", join(names, ", "),
                more > 0 ? format(" and {} more", more) : "", error.what(),
                error.hint().empty() ? "" : format("; {}", error.hint()));
}

}  // namespace

std::string SideFiles::summary() const {
  std::vector<std::string> parts;
  if (!charts.empty()) {
    parts.push_back(
        format("{} in {}/ (.svg, .png, .pdf)", plural(charts.size(), "chart"), page::chart_folder));
  }
  if (!tables.empty()) {
    // The last group is the list of all.
    parts.push_back(
        format("{} in {}/ (.csv, .tex)", plural(tables.size() - 1, "table"), page::table_folder));
  }
  return join(parts, ", ");
}

SideFiles side_files(page::Document& document, const std::string& version) {
  SideFiles files;
  try {
    files.charts = page::draw_charts(document);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::capability) throw;
    files.missing_charts = missing_text(page::chart_paths(document), error);
  }
  files.tables = page::table_files(document, version);
  document.json.update({{page_files_key.key(), list_json(files)}});
  return files;
}

void remove_earlier_files(const fs::path& folder, const SideFiles& files) {
  const std::set<std::string> now = paths_of(files);
  for (const std::string& path : listed_paths(folder)) {
    if (now.contains(path)) continue;
    std::error_code ignored;  // what cannot be deleted stays, as a file of the user's does
    fs::remove(folder / path, ignored);
  }
  for (const std::string_view name : {page::chart_folder, page::table_folder}) {
    std::error_code not_empty;
    fs::remove(folder / name, not_empty);
  }
}

void write_side_files(const fs::path& folder, const SideFiles& files) {
  for (const auto* groups : {&files.charts, &files.tables}) {
    for (const page::PageFileGroup& group : *groups) {
      for (const page::PageFile& file : group.files) {
        const fs::path path = folder / file.path;
        make_folders(path.parent_path());
        write_file_atomically(path, file.content);
      }
    }
  }
}

}  // namespace rooflab::study
