// The format of a file is detected from its first bytes, not from its name: logs are called .txt,
// .log or .out, traces lose their extension on the way. The extension counts only where the bytes
// say nothing.

#include <algorithm>

#include "base/assert.hpp"
#include "base/format.hpp"
#include "nvprof/table_head.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/import/readers.hpp"
#include "system/byte_source.hpp"

namespace rooflab::import {
namespace {

constexpr std::size_t head_bytes = 64UL << 10U;

bool has_any(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::ranges::any_of(words,
                             [&](std::string_view word) { return text.find(word) != text.npos; });
}

/// `"kind": "record"` with whatever blanks, near the beginning.
bool has_member(std::string_view text, std::string_view key, std::string_view value) {
  std::size_t place = 0;
  const std::string quoted = format("\"{}\"", key);
  while ((place = text.find(quoted, place)) != text.npos) {
    place += quoted.size();
    std::string_view rest = text.substr(place);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n:"), rest.size()));
    if (rest.starts_with(format("\"{}\"", value))) return true;
  }
  return false;
}

FileKind json_kind(std::string_view head) {
  if (has_member(head, "kind", "record")) return FileKind::record;
  if (has_member(head, "command", "train")) return FileKind::training;
  if (has_member(head, "kind", "training_run")) return FileKind::training_run;
  if (has_member(head, "kind", "scale_run")) return FileKind::scale_run;
  if (has_member(head, "command", "measure")) return FileKind::measurement;
  if (has_member(head, "command", "predict")) return FileKind::prediction;
  const bool events = has_any(head, {"\"traceEvents\"", "\"deviceProperties\"",
                                     "\"distributedInfo\"", "\"displayTimeUnit\"", "\"ph\""});
  return events ? FileKind::trace : FileKind::unknown;
}

bool is_ncu_log(std::string_view head) {
  return has_any(head, {"\"ID\",\"Process ID\"", "==PROF==", "==ERROR== ERR_NVGPUCTRPERM",
                        " Section: Command line profiler metrics", " Section: GPU Speed Of Light"});
}

/// A report of `nsys stats`: its columns say their units.
bool is_table_of_nsys(std::string_view head) {
  const bool of_events = has_any(head, {"Start ("}) && has_any(head, {"Duration ("});
  const bool of_sums = has_any(head, {"Total Time ("}) && has_any(head, {"Instances", "Num Calls"});
  return (of_events || of_sums) && has_any(head, {","});
}

bool is_ncu_report(std::string_view head) { return head.starts_with(std::string_view("NVR\0", 4)); }

bool is_database(std::string_view head) {
  return head.starts_with(std::string_view("SQLite format 3\0", 16));
}

bool is_gzip(std::string_view head) { return head.starts_with("\x1f\x8b"); }

/// A file that another tool wrote.
struct ToolFile {
  FileKind kind;
  std::string_view readable;  ///< words in a list of what is read; empty: another row has them
  record::Record (*read)(const std::filesystem::path&, const ImportOptions&);
  /// Whether a file begins so; null: its name or its JSON decides.
  bool (*begins_so)(std::string_view head) = nullptr;
};

/// The first row whose beginning fits is the kind: what is not text comes first.
constexpr ToolFile tool_files[] = {
    {FileKind::ncu_report, "output of Nsight Compute (CSV or text), .ncu-rep", read_ncu_report,
     is_ncu_report},
    {FileKind::trace, "traces of the PyTorch profiler (.json, .json.gz)", read_kineto_trace,
     is_gzip},
    {FileKind::nsys_export, "SQLite and CSV of Nsight Systems", read_nsys_export, is_database},
    {FileKind::nsys_report, "", read_nsys_report},
    {FileKind::ncu_log, "", read_ncu_log, is_ncu_log},
    {FileKind::nsys_csv, "", read_nsys_csv, is_table_of_nsys},
    {FileKind::nvprof_csv, "CSV of nvprof", read_nvprof, nvprof::is_nvprof},
};

const ToolFile* tool_file_of(FileKind kind) {
  const auto* const row = std::ranges::find(tool_files, kind, &ToolFile::kind);
  return row == std::end(tool_files) ? nullptr : row;
}

}  // namespace

bool is_of_tool(FileKind kind) { return tool_file_of(kind) != nullptr; }

std::string readable_tool_files() {
  std::vector<std::string> words;
  for (const ToolFile& row : tool_files) {
    if (!row.readable.empty()) words.emplace_back(row.readable);
  }
  return join(words, ", ");
}

record::Record read_tool_file(FileKind kind, const std::filesystem::path& path,
                              const ImportOptions& options) {
  const ToolFile* const row = tool_file_of(kind);
  ROOFLAB_ASSERT(row != nullptr);
  return row->read(path, options);
}

record::Record read(const std::filesystem::path& path, const ImportOptions& options) {
  const FileKind kind = file_kind_of(path);
  if (is_of_tool(kind)) return read_tool_file(kind, path, options);
  throw Error(ErrorKind::input, format("this is {}, not a file of a profiler", name_of(kind)),
              format("it can be {}", readable_tool_files()), {.file = path.string()});
}

FileKind file_kind_of(std::string_view head, const std::filesystem::path& name) {
  const std::string file = lowercase(name.filename().string());
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  const std::string_view text = trim(head);
  if (text.empty() && head.size() < head_bytes) return FileKind::empty;
  // A profile's first line holds a command line, which can be anything.
  if (head.starts_with("{\"rooflab_profile\":")) return FileKind::profile;
  for (const ToolFile& row : tool_files) {
    if (row.begins_so != nullptr && row.begins_so(head)) return row.kind;
  }
  if (file.ends_with(".nsys-rep") || file.ends_with(".qdrep")) return FileKind::nsys_report;
  if (text.starts_with('{') || text.starts_with('[')) {
    const FileKind kind = json_kind(text);
    if (kind != FileKind::unknown) return kind;
    return file.find("trace") != file.npos ? FileKind::trace : FileKind::unknown;
  }
  // A program may print much before ncu's table begins.
  const bool log = file.ends_with(".csv") || file.ends_with(".log") || file.ends_with(".txt") ||
                   file.ends_with(".out");
  return log ? FileKind::ncu_log : FileKind::unknown;
}

FileKind file_kind_of(const std::filesystem::path& path) {
  return file_kind_of(ByteSource(path, {}).take(head_bytes), path);
}

}  // namespace rooflab::import
