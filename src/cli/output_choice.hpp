#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "chart/renderers.hpp"
#include "console.hpp"
#include "rooflab/base/parameter.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::cli {

/// The values of --format, as report::Format begins.
enum class TextFormat { table, md, csv, json };
constexpr auto names_in_order(For<TextFormat>) {
  return names_through<TextFormat::json>("table", "md", "csv", "json");
}

/// `--format` and `-o`: where a document goes. Every output is rendered before the first is
/// written, so an error leaves nothing half-written.
struct OutputChoice {
  std::optional<TextFormat> format;
  std::vector<std::string> output;

  /// For a command whose `-o` may also name a folder: takes what ends in `/`, has no extension, or
  /// is a folder, from the files. Throws Error (usage) for a second one.
  [[nodiscard]] std::optional<std::filesystem::path> take_folder();

  /// Throws what write() would for a wrong name, format or place, before the work is done.
  /// `timelines`: the result has one for FILE.trace.json.
  void check(bool timelines = false) const;

  /// To stdout in the chosen format, and to every file by its extension. What was worked for is on
  /// stdout in any case where a file cannot be written; throws then.
  void write(const report::Document& document, const Console& console) const;
  /// To the files alone; `page` is the document of .html files.
  void write_files(const report::Document& document, const report::Document& page,
                   const Console& console) const;

  /// Whether a file gets that format by its name.
  [[nodiscard]] bool writes(report::Format format) const;
  /// Whether `-o -` asks for the result on stdout.
  [[nodiscard]] bool names_stdout() const;
  /// The files among the outputs.
  [[nodiscard]] std::vector<std::string> files() const;

 private:
  void print(const report::Document& document, const Console& console) const;
  [[nodiscard]] report::Format format_of(const std::string& file) const;
};
const Parameters& parameters_of(For<OutputChoice>);
/// The same for a command whose `-o` may be a folder: `what` it is for.
[[nodiscard]] Parameters output_or_folder(const std::string& what);

/// Throws Error (usage) where a name is a file's by its extension and a folder is wanted; one that
/// is a folder or ends in `/` is good.
void check_folder_name(const std::string& flag, const std::string& name);

/// Picture format of a file. Throws Error (usage, capability) that names the flag when the
/// extension is not that of a picture, or when gnuplot is missing; the hint then names `instead`.
[[nodiscard]] chart::Format picture_format(const std::string& flag, const std::string& file,
                                           const std::string& instead);

/// Throws Error (usage) for the name of a timeline, where a command has none.
void refuse_timeline(const std::string& file);

/// Throws where a file cannot be made or written, before the first of several is.
void check_place(const std::filesystem::path& path);

/// Renders all, then writes all.
struct OutputFile {
  std::filesystem::path path;
  std::string content;
  /// Instead of `content`, where that would be too large to hold.
  std::function<void(std::ostream& stream)> write{};
};
void write_files(const std::vector<OutputFile>& files, const Console& console);

}  // namespace rooflab::cli
