#include "page_files.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/format.hpp"
#include "chart/row_charts.hpp"
#include "chart/safe_text.hpp"
#include "csv_table.hpp"
#include "latex_table.hpp"
#include "slug.hpp"

namespace rooflab::page {
namespace {

constexpr std::size_t longest_file_name = 80;
constexpr std::array picture_formats = {chart::Format::svg, chart::Format::png, chart::Format::pdf};
/// The name of the list of all tables, which no table has.
constexpr std::string_view list_name = "tables";

/// The titles of files of one kind as names.
class FileNames {
 public:
  explicit FileNames(std::string_view other, std::vector<std::string> taken = {})
      : other_(other), taken_(std::move(taken)) {}

  std::string take(const std::string& title) {
    std::string name = slug(title).substr(0, longest_file_name);
    while (name.ends_with('-')) name.pop_back();
    return take_name(name.empty() ? other_ : name, taken_);
  }

 private:
  std::string other_;  ///< name for a title without letters and digits
  std::vector<std::string> taken_;
};

/// A chart with the place where Markdown shows it.
struct NamedPicture {
  std::string title;
  std::string name;
  std::size_t section = 0;
  chart::Picture picture;
};

std::string title_of(const PageChart& chart, const PageSection& section) {
  if (!chart.chart.title.empty()) return chart.chart.title;
  return chart.heading.empty() ? section.heading : chart.heading;
}

std::vector<NamedPicture> named_pictures(const Document& document) {
  constexpr int row_chart_width = 1000;
  FileNames names("chart");
  std::vector<NamedPicture> pictures;
  for (std::size_t i = 0; i < document.sections.size(); ++i) {
    const PageSection& section = document.sections[i];
    const auto add = [&](const std::string& title, chart::Picture picture) {
      pictures.push_back({title, names.take(title), i, std::move(picture)});
    };
    const chart::Size size = {.width = row_chart_width};
    if (!section.dots.empty()) {
      add(section.heading,
          {chart::dot_chart(section.heading, section.dots, section.dot_axis), size});
    }
    if (!section.bars.empty()) {
      add(section.heading,
          {chart::bar_chart(section.heading, section.bars, section.bar_scale), size});
    }
    for (const PageChart& each : section.charts) {
      add(title_of(each, section), {each.chart, each.size});
    }
  }
  return pictures;
}

std::string chart_path(const NamedPicture& picture, chart::Format picture_format) {
  return format("{}/{}.{}", chart_folder, picture.name, lowercase(name_of(picture_format)));
}

/// A table with its title and name; `in_text`: Markdown shows it.
struct NamedTable {
  std::string title;
  std::string name;
  const Table* table = nullptr;
  bool in_text = false;
};

std::vector<NamedTable> named_tables(const Document& document) {
  FileNames names("table", {std::string(list_name)});
  std::vector<NamedTable> tables;
  const auto add = [&](const Table& table, std::string title, bool in_text,
                       const std::string& file_name = {}) {
    if (table.columns.empty() || table.rows.empty()) return;
    std::string name = names.take(file_name.empty() ? title : file_name);
    tables.push_back({std::move(title), std::move(name), &table, in_text});
  };
  for (const Table& table : document.tables) {
    add(table, table.title.empty() ? document.title : table.title, true);
  }
  for (const PageSection& section : document.sections) {
    for (const Table& table : section.tables) {
      add(table, table.title.empty() ? section.heading : table.title, section.in_text);
    }
    for (const PageDetail& detail : section.details) {
      add(detail.table, detail.heading, detail.in_text, detail.file_name);
    }
  }
  return tables;
}

std::string list_entry(const NamedTable& table, bool is_long) {
  const std::string input = format("\\input{{\\rooflabtables/{}}}", table.name);
  const std::string title = latex_text(table.title);
  if (!table.in_text) return format("% {}\n% {}\n", chart::safe_text(table.title), input);
  const std::string caption = format("\\caption{{{}}}\\label{{tab:{}}}", title, table.name);
  if (is_long) {
    return format("\\begingroup\n  \\def\\rooflabcaption{{{}}}\n  {}\n\\endgroup\n", caption,
                  input);
  }
  return format("\\begin{{table}}[htbp]\n  \\centering\n  {}\n  {}\n\\end{{table}}\n", caption,
                input);
}

std::string list_of(const std::vector<std::string>& entries, const std::vector<std::string>& head,
                    bool any_long) {
  std::string text;
  for (const std::string& line : head) text += format("% {}\n", chart::safe_text(line));
  text += format(
      "% \\input{{{0}/{1}}} takes all of them; needs \\usepackage{{booktabs{2}}}.\n"
      "% Where {0}/ is not next to the document: \\newcommand{{\\rooflabtables}}{{PATH/{0}}} before"
      " it.\n\\providecommand{{\\rooflabtables}}{{{0}}}\n",
      table_folder, list_name, any_long ? ",longtable" : "");
  for (const std::string& entry : entries) text += "\n" + entry;
  return text;
}

}  // namespace

std::vector<std::string> chart_paths(const Document& document) {
  std::vector<std::string> paths;
  for (const NamedPicture& picture : named_pictures(document)) {
    for (const chart::Format format : picture_formats) {
      paths.push_back(chart_path(picture, format));
    }
  }
  return paths;
}

std::vector<PageFileGroup> draw_charts(Document& document) {
  std::vector<NamedPicture> named = named_pictures(document);
  std::vector<chart::Picture> pictures;
  for (NamedPicture& each : named) pictures.push_back(std::move(each.picture));
  std::vector<std::vector<std::string>> contents =
      chart::render_pictures(pictures, picture_formats);
  std::vector<PageFileGroup> groups;
  for (std::size_t i = 0; i < named.size(); ++i) {
    PageFileGroup& group = groups.emplace_back();
    group.title = named[i].title;
    for (std::size_t f = 0; f < picture_formats.size(); ++f) {
      group.files.push_back(
          {chart_path(named[i], picture_formats.at(f)), std::move(contents[i][f])});
    }
    document.sections[named[i].section].pictures.push_back({group.title, group.files.front().path});
  }
  return groups;
}

std::vector<PageFileGroup> table_files(const Document& document, const std::string& version) {
  const std::string made = format("Rooflab {}", version);
  std::vector<PageFileGroup> groups;
  std::vector<std::string> entries;
  bool any_long = false;
  for (const NamedTable& each : named_tables(document)) {
    const LatexTable latex = latex_table(*each.table, {each.title, document.command, made});
    any_long = any_long || latex.is_long;
    entries.push_back(list_entry(each, latex.is_long));
    const std::string path = format("{}/{}", table_folder, each.name);
    groups.push_back(
        {each.title, {{path + ".csv", csv_table(*each.table)}, {path + ".tex", latex.text}}});
  }
  if (groups.empty()) return groups;
  groups.push_back({"",
                    {{format("{}/{}.tex", table_folder, list_name),
                      list_of(entries, {document.title, document.command, made}, any_long)}}});
  return groups;
}

}  // namespace rooflab::page
