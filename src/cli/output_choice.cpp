#include "output_choice.hpp"

#include "base/parameter_list.hpp"
#include "base/path_status.hpp"
#include "plotly_bundle.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::cli {

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
                 "FILE", "write to a file, by its extension; may be repeated",
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

std::optional<std::filesystem::path> OutputChoice::take_folder() {
  std::optional<std::filesystem::path> folder;
  std::vector<std::string> files;
  for (const std::string& name : output) {
    const std::filesystem::path path(name);
    if (report::format_from_extension(lowercase(path.extension().string())) && !is_folder(path)) {
      files.push_back(name);
      continue;
    }
    if (folder) {
      throw Error(ErrorKind::usage,
                  rooflab::format("-o names two folders, '{}' and '{}'", folder->string(), name),
                  "a file ends in .html, .md, .csv, .json or .txt");
    }
    folder = path;
  }
  output = std::move(files);
  return folder;
}

report::Format OutputChoice::format_of(const std::string& file) const {
  const std::string extension = lowercase(std::filesystem::path(file).extension().string());
  std::optional<report::Format> wanted = report::format_from_extension(extension);
  // A file whose name says nothing takes the format asked for.
  if (!wanted && format) wanted = static_cast<report::Format>(*format);
  if (!wanted) {
    throw Error(ErrorKind::usage,
                rooflab::format("-o: cannot tell a format from the name '{}'", file),
                "use .html, .md, .csv, .json or .txt");
  }
  return *wanted;
}

void OutputChoice::check() const {
  for (const std::string& file : output) {
    (void)format_of(file);
    check_place(file);
  }
}

void OutputChoice::write(const report::Document& document, const Console& console) const {
  write(document, document, console);
}

void OutputChoice::write_or_print(const report::Document& document, const Console& console) const {
  try {
    write(document, console);
  } catch (...) {
    if (!output.empty()) print(document, console);
    throw;
  }
}

void OutputChoice::print(const report::Document& document, const Console& console) const {
  const auto chosen = static_cast<report::Format>(format.value_or(TextFormat::table));
  console.print([&](std::ostream& stream) {
    report::render(stream, document, chosen, {console.color_on_stdout()});
  });
}

void OutputChoice::write(const report::Document& document, const report::Document& page,
                         const Console& console) const {
  if (output.empty()) return print(document, console);
  std::vector<OutputFile> outputs;
  for (const std::string& file : output) {
    const report::Format wanted = format_of(file);
    if (wanted == report::Format::json && document.write_json) {
      outputs.push_back({file, {}, document.write_json});
    } else {
      outputs.push_back({file, wanted == report::Format::html
                                   ? report::render_html(page, plotly_bundle())
                                   : report::render(document, wanted)});
    }
  }
  write_files(outputs, console);
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
