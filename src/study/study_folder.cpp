#include "study_folder.hpp"

#include <map>
#include <set>

#include "base/field_table.hpp"
#include "base/json_fields.hpp"
#include "base/path_status.hpp"
#include "base/schema.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::study {
namespace {

namespace fs = std::filesystem;

StudyOrigin origin_with(const fs::path& folder, const std::string& title, const std::string& hint) {
  StudyOrigin origin = read_origin(folder);
  if (origin.title == title) return origin;
  throw Error(ErrorKind::input,
              format("'{}' holds another study: {}", folder.string(), origin.title), hint);
}

StudyOrigin origin_of_shard(const fs::path& shard, const std::string& title) {
  return origin_with(shard, title, format("the study is: {}", title));
}

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

}  // namespace

std::span<const Field> fields_of(For<LocalGpu>) {
  static constexpr Field fields[] = {
      field<&LocalGpu::name>("name").required(),
      field<&LocalGpu::model>("device_name").required(),
      field<&LocalGpu::catalog_id>("catalog_id"),
  };
  return fields;
}

std::span<const Field> fields_of(For<Machine>) {
  static constexpr auto fields =
      field_table(members<&Machine::torch_worker, &Machine::probe_worker>,
                  field<&Machine::counters>("can_count"), field<&Machine::gpus>());
  return fields;
}

std::span<const Field> fields_of(For<StudyOrigin>) {
  static constexpr Field fields[] = {
      field<&StudyOrigin::title>("title").required(),
      field<&StudyOrigin::command>("command_line").or_default(),
      field<&StudyOrigin::machine>("machine"),
  };
  return fields;
}

FileKind file_kind_of(For<StudyOrigin>) {
  return {.name = "study_folder",
          .title = "folder of a study",
          .hint = "rooflab study run FILE -o DIR makes such folders"};
}

StudyOrigin read_origin(const fs::path& folder) {
  const fs::path file = origin_file(folder);
  if (is_there(file)) return load_file<StudyOrigin>(file);
  throw Error(ErrorKind::input, format("'{}' holds no study", folder.string()),
              std::string(file_kind_of(For<StudyOrigin>{}).hint));
}

StudyOrigin read_origin(const fs::path& folder, const std::string& title) {
  return origin_with(folder, title, "-o takes a folder for each study");
}

fs::path origin_file(const fs::path& folder) { return folder / "study.json"; }

void record_origin(const fs::path& folder, const StudyOrigin& origin) {
  StudyOrigin now = origin;
  if (is_there(origin_file(folder))) {
    const StudyOrigin found = read_origin(folder, origin.title);
    if (!now.machine) now.machine = found.machine;
    if (now.command.empty()) now.command = found.command;
    if (now == found) return;
  }
  write_file_atomically(origin_file(folder), file_json(now).dump(2) + "\n");
}

namespace {

/// Shards of one count have no case in common; a whole run, or shards of another count, have.
void refuse_other_counts(const fs::path& folder, const Shard& shard) {
  const std::string end = format("-of-{}", shard.count);
  for (const std::string& part : FolderLock::parts_in_use(folder)) {
    if (part.ends_with(end)) continue;
    throw Error(ErrorKind::input,
                format("'{}' is in use by another run, of shard {}", folder.string(), part),
                "wait for it, or give this one a folder of its own");
  }
}

}  // namespace

StudyFolder::StudyFolder(fs::path path, const StudyOrigin& origin, Shard shard)
    : path_(std::move(path)), lock_(path_, format("{}-of-{}", shard.index, shard.count)) {
  refuse_other_counts(path_, shard);
  record_origin(path_, origin);
  make_folders(cases());
}

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
  const StudyFolder target(folder, origin, Shard());
  for (const auto& [name, file] : found) {
    const fs::path merged = target.cases() / name;
    if (is_there(merged) && !fs::equivalent(merged, file)) check_same(merged, file);
    if (!is_there(merged)) write_file_atomically(merged, read_file(file));
  }
}

}  // namespace rooflab::study
