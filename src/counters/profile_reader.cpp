#include "profile_reader.hpp"

#include <sys/utsname.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fstream>

#include "base/format.hpp"
#include "profile_facts.hpp"
#include "profile_line.hpp"
#include "profile_record.hpp"
#include "rooflab/base/error.hpp"
#include "system/path_status.hpp"

namespace rooflab::counters {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view beginning = R"({"rooflab_profile":)";

constexpr std::string_view what = "profile";

record::Record read(ByteSource& source, const std::string& file,
                    const std::function<void(double)>& progress) {
  LineSource lines(source);
  const auto first = lines.next();
  if (!first || !is_profile(first->text)) {
    const bool newer = first && first->text.starts_with(beginning);
    throw Error(ErrorKind::input,
                newer ? "a profile in a form that this version does not know"
                      : "this is not a profile of rooflab profile",
                newer ? "use the version of Rooflab that made it, or a newer one" : "",
                {file, {}, {}, {}});
  }
  ProfileFacts facts;
  facts.take_head(*first);
  constexpr std::int64_t often = 100'000;
  while (const auto line = lines.next()) {
    if (!facts.take(*line)) break;
    if (progress && line->number % often == 0) progress(source.done());
  }
  return record_of(std::move(facts), file);
}

}  // namespace

bool is_profile(std::string_view head) {
  if (!head.starts_with(beginning)) return false;
  head.remove_prefix(beginning.size());
  return head.starts_with("1,") || head.starts_with("1}");
}

record::Record read_profile(const fs::path& path,
                            const std::function<void(double done)>& progress) {
  ByteSource source(path, what);
  record::Record record = read(source, path.string(), progress);
  if (record.told_ops) {  // a name, not a path: the file may be from anywhere
    for (std::string& recording : record.told_ops->recordings) {
      recording = (path.parent_path() / fs::path(recording).filename()).string();
    }
  }
  return record;
}

record::Record read_profile_text(std::string_view text, const std::string& file) {
  ByteSource source(text);
  return read(source, file, {});
}

namespace {

/// A profile in a folder.
struct Found {
  std::optional<int> rank;
  std::int64_t pid = 0;
  std::string host;
  fs::path path;
};

std::vector<Found> profiles_in(const fs::path& folder, std::error_code& status) {
  std::vector<Found> found;
  for (fs::directory_iterator entry(folder, status), end; !status && entry != end;
       entry.increment(status)) {
    if (!is_file(entry->path())) continue;
    ByteSource source(entry->path(), what);
    if (!is_profile(source.take(beginning.size() + 2))) continue;
    source.rewind();
    LineSource lines(source);
    ProfileFacts facts;
    if (const auto first = lines.next()) facts.take_head(*first);
    const profile::ProfileHead head = facts.head.value_or(profile::ProfileHead{});
    found.push_back({head.rank, head.pid, head.host, entry->path()});
  }
  return found;
}

/// Its last line says so.
bool has_end(const fs::path& path) {
  constexpr std::streamoff longest = 256;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const std::streamoff size = file.tellg();
  if (!file || size <= 0) return false;
  file.seekg(std::max<std::streamoff>(0, size - longest));
  std::string tail(static_cast<std::size_t>(std::min(size, longest)), '\0');
  file.read(tail.data(), static_cast<std::streamsize>(tail.size()));
  return tail.rfind("\n{\"end\":") != std::string::npos && tail.ends_with("}\n");
}

bool lives_here(const Found& profile) {
  utsname system = {};
  if (::uname(&system) != 0 || profile.host != system.nodename || profile.pid <= 0) return false;
  return ::kill(static_cast<pid_t>(profile.pid), 0) == 0 || errno == EPERM;
}

}  // namespace

std::vector<std::int64_t> profiled_processes(const fs::path& folder) {
  std::error_code ignored;
  std::vector<std::int64_t> processes;
  for (const Found& profile : profiles_in(folder, ignored)) {
    if (!has_end(profile.path) && lives_here(profile)) processes.push_back(profile.pid);
  }
  return processes;
}

std::vector<record::Record> read_profiles(const fs::path& folder) {
  std::error_code status;
  std::vector<Found> found = profiles_in(folder, status);
  if (status) {
    throw Error(ErrorKind::input,
                format("cannot read '{}': {}", folder.string(), status.message()));
  }
  std::ranges::sort(found, [](const Found& a, const Found& b) {
    if (a.rank.has_value() != b.rank.has_value()) return a.rank.has_value();
    if (a.rank != b.rank) return *a.rank < *b.rank;
    return a.pid != b.pid ? a.pid < b.pid : a.path < b.path;
  });
  std::vector<record::Record> records;
  records.reserve(found.size());
  for (const Found& each : found) records.push_back(read_profile(each.path));
  return records;
}

}  // namespace rooflab::counters
