#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "chart/renderers.hpp"
#include "console.hpp"
#include "rooflab/describe/parameter.hpp"
#include "rooflab/page/document.hpp"

namespace rooflab::cli {

/// Values of --format, in the order of page::Format.
enum class TextFormat { table, md, csv, json };
constexpr auto names_in_order(For<TextFormat>) {
  return names_through<TextFormat::json>("table", "md", "csv", "json");
}

/// Choice of outputs for a document: `--format` and `-o`. Every output is rendered before the first
/// is written, so an error leaves nothing half-written.
struct OutputChoice {
  std::optional<TextFormat> format;
  std::vector<std::string> output;

  /// For a command whose `-o` may also name a folder: removes from the files, and returns, a name
  /// that ends in `/`, has no extension, or is a folder. Throws Error (usage) for a second one.
  [[nodiscard]] std::optional<std::filesystem::path> take_folder();

  /// Throws, before the work is done, the errors of write() for a wrong name, format or place.
  /// `timelines`: the result has one for FILE.trace.json.
  void check(bool timelines = false) const;

  /// Writes a document to stdout in the chosen format, and to every file by its extension. If a
  /// file cannot be written, the document is printed on stdout in any case before this throws.
  void write(const page::Document& document, const Console& console) const;
  /// Writes only the files; `page` is the document of .html files.
  void write_files(const page::Document& document, const page::Document& page,
                   const Console& console) const;

  /// Whether some file has this format by its name.
  [[nodiscard]] bool writes(page::Format format) const;
  /// Whether `-o -` requests the result on stdout.
  [[nodiscard]] bool names_stdout() const;
  /// The files among the outputs.
  [[nodiscard]] std::vector<std::string> files() const;

 private:
  void print(const page::Document& document, const Console& console) const;
  [[nodiscard]] page::Format format_of(const std::string& file) const;
};
const Parameters& parameters_of(For<OutputChoice>);
/// Flags `--format` and `-o` of a command whose `-o` may be a folder; `what`: use of the folder.
[[nodiscard]] Parameters output_or_folder(const std::string& what);

/// Throws Error (usage) where the name for a folder has an extension of a file, unless it is a
/// folder or ends in `/`.
void check_folder_name(const std::string& flag, const std::string& name);

/// Picture format of a file by its extension. Throws Error (usage, capability) that names the flag
/// when the extension is not a picture's, or when gnuplot is missing; then the hint names
/// `instead`.
[[nodiscard]] chart::Format picture_format(const std::string& flag, const std::string& file,
                                           const std::string& instead);

/// Throws Error (usage) for the name of a timeline, for commands without timelines.
void refuse_timeline(const std::string& file);

/// Throws where a file cannot be made or written; for a check before the first of several is
/// written.
void check_place(const std::filesystem::path& path);

/// A file to write; all files are rendered before the first is written.
struct OutputFile {
  std::filesystem::path path;
  std::string content;
  /// Writes the content, instead of `content`, where that would be too large for memory.
  std::function<void(std::ostream& stream)> write{};
};
void write_files(const std::vector<OutputFile>& files, const Console& console);

}  // namespace rooflab::cli
