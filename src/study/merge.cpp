#include <set>

#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/study/run.hpp"
#include "study_folder.hpp"

namespace rooflab::study {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> outcome_files(const fs::path& folder) {
  std::set<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "cases")) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(".json") && !name.ends_with(".part.json")) files.insert(entry.path());
  }
  if (files.empty()) {
    throw Error(ErrorKind::input, format("'{}' holds no finished case", folder.string()));
  }
  return {files.begin(), files.end()};
}

CaseOutcome outcome_of(const fs::path& file) {
  return case_outcome_from_json(parse_json(read_file(file), file.string()), file.string());
}

void check_same(const fs::path& here, const fs::path& other) {
  const CaseOutcome a = outcome_of(here);
  const CaseOutcome b = outcome_of(other);
  if (a.command == b.command && a.began == b.began && a.result == b.result) return;
  throw Error(ErrorKind::input,
              format("'{}' and '{}' are two runs of one case", here.string(), other.string()),
              "merge shards of one run: each case belongs to one of them");
}

StudyOrigin origin_of_shard(const fs::path& shard, const std::string& title) {
  StudyOrigin origin = read_origin(shard);
  if (origin.title == title) return origin;
  throw Error(ErrorKind::input,
              format("'{}' holds another study: {}", shard.string(), origin.title),
              format("the study is: {}", title));
}

}  // namespace

ShardsOrigin origin_of_shards(std::span<const fs::path> shards, const std::string& title) {
  ShardsOrigin all;
  all.origin.title = title;
  for (const fs::path& shard : shards) {
    const StudyOrigin own = origin_of_shard(shard, title);
    if (all.origin.command.empty()) all.origin.command = own.command;
    if (!all.origin.machine) all.origin.machine = own.machine;
    const bool differs = own.machine && own.machine != all.origin.machine;
    if (differs && all.unlike.empty()) all.unlike = shard;
  }
  if (!all.unlike.empty()) all.origin.machine.reset();
  return all;
}

void merge_folders(std::span<const fs::path> shards, const StudyOrigin& origin,
                   const fs::path& folder) {
  // Everything is read before anything is written.
  std::map<fs::path, fs::path> found;
  for (const fs::path& shard : shards) {
    (void)origin_of_shard(shard, origin.title);
    for (const fs::path& file : outcome_files(shard)) {
      (void)outcome_of(file);
      const auto [first, is_new] = found.emplace(file.filename(), file);
      if (!is_new) check_same(first->second, file);
    }
  }
  make_folder(folder, origin.title);
  record_origin(folder, origin);
  for (const auto& [name, file] : found) {
    const fs::path target = folder / "cases" / name;
    if (fs::exists(target) && !fs::equivalent(target, file)) check_same(target, file);
    if (!fs::exists(target)) write_file_atomically(target, read_file(file));
  }
}

}  // namespace rooflab::study
