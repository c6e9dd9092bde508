#include "output_options.hpp"

#include "flag_value.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::cli {

void check_place(const std::filesystem::path& path) {
  const std::filesystem::path folder = path.has_parent_path() ? path.parent_path() : ".";
  std::error_code status;
  if (std::filesystem::is_directory(path, status)) {
    throw Error(ErrorKind::input, format("cannot write '{}': it is a directory", path.string()),
                "-o takes the name of a file");
  }
  if (!std::filesystem::is_directory(folder, status)) {
    throw Error(
        ErrorKind::input,
        format("cannot write '{}': there is no folder '{}'", path.string(), folder.string()),
        format("make it first: mkdir -p {}", folder.string()));
  }
}

void OutputOptions::add_to(Command command) {
  command.add_option("--format", format_, "table, md, csv or json (table)").type_name("F");
  command.add_option("-o,--output", files_, "write to a file, by its extension; may be repeated")
      .type_name("FILE")
      .expected(1)
      .take_all();
}

std::optional<std::filesystem::path> OutputOptions::take_folder() {
  std::optional<std::filesystem::path> folder;
  std::vector<std::string> files;
  for (const std::string& name : files_) {
    const std::filesystem::path path(name);
    std::error_code status;
    const bool is_file = report::format_from_extension(lowercase(path.extension().string())) &&
                         !std::filesystem::is_directory(path, status);
    if (is_file) {
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
  files_ = std::move(files);
  return folder;
}

report::Format OutputOptions::format_of(const std::string& file, bool html) const {
  const std::string extension = lowercase(std::filesystem::path(file).extension().string());
  std::optional<report::Format> wanted = report::format_from_extension(extension);
  // A file whose name says nothing takes the format asked for.
  if (!wanted && !format_.empty()) wanted = format();
  if (!wanted || (*wanted == report::Format::html && !html)) {
    throw Error(ErrorKind::usage,
                rooflab::format("-o: cannot tell a format from the name '{}'", file),
                html ? "use .html, .md, .csv, .json or .txt" : "use .md, .csv, .json or .txt");
  }
  return *wanted;
}

void OutputOptions::check(bool html) const {
  (void)format();
  for (const std::string& file : files_) {
    (void)format_of(file, html);
    check_place(file);
  }
}

report::Format OutputOptions::format() const {
  if (format_.empty()) return report::Format::table;
  const std::optional<report::Format> format = report::format_from_name(format_);
  if (!format) throw_unknown("format", format_, {"table", "md", "csv", "json"});
  return *format;
}

void OutputOptions::write(const report::Document& document, const Console& console,
                          const std::function<std::string()>& html) const {
  const report::Format chosen = format();
  if (files_.empty()) {
    console.print([&](std::ostream& stream) {
      report::render(stream, document, chosen, {console.color_on_stdout()});
    });
    return;
  }
  std::vector<OutputFile> outputs;
  for (const std::string& file : files_) {
    const report::Format wanted = format_of(file, static_cast<bool>(html));
    if (wanted == report::Format::json && document.write_json) {
      outputs.push_back({file, {}, document.write_json});
    } else {
      outputs.push_back(
          {file, wanted == report::Format::html ? html() : report::render(document, wanted)});
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
