// The format of a file is detected from its first bytes, not from its name: logs are called .txt,
// .log or .out, traces lose their extension on the way. The extension counts only where the bytes
// say nothing.

#include <algorithm>

#include "rooflab/base/text.hpp"
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

/// A report of `nsys stats`: its columns say their units.
bool is_table_of_nsys(std::string_view head) {
  const bool of_events = has_any(head, {"Start ("}) && has_any(head, {"Duration ("});
  const bool of_sums = has_any(head, {"Total Time ("}) && has_any(head, {"Instances", "Num Calls"});
  return (of_events || of_sums) && has_any(head, {","});
}

}  // namespace

FileKind file_kind_of(std::string_view head, const std::filesystem::path& name) {
  const std::string file = lowercase(name.filename().string());
  constexpr std::string_view ncu_magic("NVR\0", 4);
  if (head.starts_with(ncu_magic)) return FileKind::ncu_report;
  if (head.starts_with("\x1f\x8b")) return FileKind::trace;
  if (head.starts_with("\xef\xbb\xbf")) head.remove_prefix(3);
  if (head.starts_with(std::string_view("SQLite format 3\0", 16))) return FileKind::nsys_export;
  const std::string_view text = trim(head);
  if (text.empty() && head.size() < head_bytes) return FileKind::empty;
  // A profile's first line holds a command line, which can be anything.
  if (head.starts_with("{\"rooflab_profile\":")) return FileKind::profile;
  const bool table =
      has_any(head, {"\"ID\",\"Process ID\"", "==PROF==", "==ERROR== ERR_NVGPUCTRPERM",
                     " Section: Command line profiler metrics", " Section: GPU Speed Of Light"});
  if (table) return FileKind::ncu_log;
  if (is_table_of_nsys(head)) return FileKind::nsys_csv;
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
