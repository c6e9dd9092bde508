#include "output_choice.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "describe/parameter_list.hpp"
#include "plotly_bundle.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/page/document.hpp"
#include "rooflab/system/file.hpp"
#include "system/path_status.hpp"

namespace rooflab::cli {
namespace {

constexpr std::string_view stdout_name = "-";

}  // namespace

void check_place(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  if (is_folder(path)) {
    throw Error(ErrorKind::input, format("cannot write '{}': it is a directory", path.string()),
                "-o takes the name of a file");
  }
  if (!is_folder(folder)) {
    throw Error(
        ErrorKind::input,
        format("cannot write '{}': the folder '{}' is missing", path.string(), folder.string()),
        format("make it first: mkdir -p {}", folder.string()));
  }
  check_writable(path);
}

chart::Format picture_format(const std::string& flag, const std::string& file,
                             const std::string& instead) {
  const std::string extension = lowercase(std::filesystem::path(file).extension().string());
  const std::optional<chart::Format> format = chart::format_from_extension(extension);
  if (!format) {
    throw Error(ErrorKind::usage,
                rooflab::format("{}: cannot tell a format from the name '{}'", flag, file),
                "use .svg, .png or .pdf");
  }
  if (chart::find_gnuplot()) return *format;
  throw Error(ErrorKind::capability,
              rooflab::format("{} {}: charts need gnuplot, which is not installed", flag, file),
              rooflab::format("install the package gnuplot-nox, or use {}", instead));
}

const Parameters& parameters_of(For<OutputChoice>) {
  static const Parameters all = {
      aside({parameter<&OutputChoice::format>("F", "format of the printed output",
                                              {.default_text = "table"}),
             parameter<&OutputChoice::output>(
                 "FILE", "write to a file, too, by its extension, - for stdout; may be repeated",
                 {.letter = 'o', .whole_words = true, .completes = Completion::file})}),
  };
  return all;
}

Parameters output_or_folder(const std::string& what) {
  return parameters_of(For<OutputChoice>{}).with<&OutputChoice::output>([&](Parameter& each) {
    each.value = "FILE|DIR";
    each.help = format("a report by its extension (.html, ...), or a folder for {}", what);
  });
}

namespace {

/// Names of files have an extension, names of folders have none or end in a slash.
bool is_folder_name(const std::string& name) {
  const std::filesystem::path path(name);
  return name.ends_with('/') || is_folder(path) || path.extension().empty();
}

}  // namespace

void check_folder_name(const std::string& flag, const std::string& name) {
  if (is_folder_name(name)) return;
  throw Error(ErrorKind::usage,
              format("{} takes a folder, and '{}' is the name of a file", flag, name),
              format("{} {}, or {}/ for a folder of that name", flag,
                     std::filesystem::path(name).stem().string(), name));
}

bool OutputChoice::names_stdout() const {
  return std::ranges::find(output, stdout_name) != output.end();
}

std::vector<std::string> OutputChoice::files() const {
  std::vector<std::string> files = output;
  std::erase(files, stdout_name);
  return files;
}

std::optional<std::filesystem::path> OutputChoice::take_folder() {
  std::optional<std::filesystem::path> folder;
  std::vector<std::string> others;
  for (const std::string& name : output) {
    if (name == stdout_name || !is_folder_name(name)) {
      others.push_back(name);
      continue;
    }
    if (folder) {
      throw Error(ErrorKind::usage,
                  rooflab::format("-o names two folders, '{}' and '{}'", folder->string(), name),
                  "a file ends in .html, .md, .csv, .json or .txt");
    }
    folder = name;
  }
  output = std::move(others);
  return folder;
}

bool OutputChoice::writes(page::Format wanted) const {
  return std::ranges::any_of(files(), [wanted](const std::string& file) {
    return page::format_from_file(file) == wanted;
  });
}

void refuse_timeline(const std::string& file) {
  if (page::format_from_file(file) != page::Format::timeline) return;
  throw Error(ErrorKind::usage, format("-o: this command has no timeline for '{}'", file),
              "predict, measure and profile write one; for the result as JSON leave .trace out");
}

page::Format OutputChoice::format_of(const std::string& file) const {
  std::optional<page::Format> wanted = page::format_from_file(file);
  // A file whose name says nothing takes the format asked for.
  if (!wanted && format) wanted = static_cast<page::Format>(*format);
  if (!wanted) {
    throw Error(ErrorKind::usage,
                rooflab::format("-o: cannot tell a format from the name '{}'", file),
                "use .html, .md, .csv, .json or .txt");
  }
  return *wanted;
}

void OutputChoice::check(bool timelines) const {
  for (const std::string& file : files()) {
    if (!timelines) refuse_timeline(file);
    (void)format_of(file);
    check_place(file);
  }
}

void OutputChoice::write(const page::Document& document, const Console& console) const {
  const bool prints = names_stdout() || console.shows_results();
  if (prints) print(document, console);
  try {
    write_files(document, document, console);
  } catch (...) {
    if (!prints) print(document, console);
    throw;
  }
}

void OutputChoice::print(const page::Document& document, const Console& console) const {
  const auto chosen = static_cast<page::Format>(format.value_or(TextFormat::table));
  console.print([&](std::ostream& stream) {
    page::render(stream, document, chosen, console.style_on_stdout());
  });
}

void OutputChoice::write_files(const page::Document& document, const page::Document& page,
                               const Console& console) const {
  std::vector<OutputFile> outputs;
  for (const std::string& file : files()) {
    const page::Format wanted = format_of(file);
    if (wanted == page::Format::timeline) {
      // A command whose result has none says why.
      if (document.write_timeline) outputs.push_back({file, {}, document.write_timeline});
    } else if (wanted == page::Format::json && document.write_json) {
      outputs.push_back({file, {}, document.write_json});
    } else {
      outputs.push_back({file, wanted == page::Format::html
                                   ? html_page(page)
                                   : page::render(document, wanted, console.style_in_file())});
    }
  }
  cli::write_files(outputs, console);
}

void write_files(const std::vector<OutputFile>& files, const Console& console) {
  for (const OutputFile& file : files) check_place(file.path);
  for (const OutputFile& file : files) {
    if (file.write) {
      write_file_atomically(file.path, file.write);
    } else {
      write_file_atomically(file.path, file.content);
    }
    console.say(format("wrote {}", file.path.string()));
  }
}

}  // namespace rooflab::cli
