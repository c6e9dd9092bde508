#include "study_folder.hpp"

#include "base/format.hpp"
#include "describe/field_table.hpp"
#include "describe/json_fields.hpp"
#include "describe/schema.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"
#include "system/path_status.hpp"

namespace rooflab::study {
namespace fs = std::filesystem;

std::span<const Field> fields_of(For<LocalGpu>) {
  static constexpr Field fields[] = {
      field<&LocalGpu::name>("name").required(),
      field<&LocalGpu::model>("device_name").required(),
      field<&LocalGpu::catalog_id>("catalog_id"),
  };
  return fields;
}

std::span<const Field> fields_of(For<Machine>) {
  static constexpr auto fields = field_table(
      field<&Machine::cpu>().or_default(), members<&Machine::torch_worker, &Machine::probe_worker>,
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

StudyOrigin read_origin_as(const fs::path& folder, const std::string& title,
                           const std::string& hint) {
  StudyOrigin origin = read_origin(folder);
  if (origin.title == title) return origin;
  throw Error(ErrorKind::input,
              format("'{}' holds another study: {}", folder.string(), origin.title), hint);
}

StudyOrigin read_origin(const fs::path& folder, const std::string& title) {
  return read_origin_as(folder, title, "-o takes a folder for each study");
}

fs::path origin_file(const fs::path& folder) { return folder / "study.json"; }

namespace {

/// What the machine could do at any time, so that what it ran then is found; of other hardware
/// `now` alone.
Machine united(const Machine& now, const Machine& before) {
  if (!is_same_hardware(now, before)) return now;
  Machine both = now;
  if (both.cpu.empty()) both.cpu = before.cpu;
  both.torch_worker |= before.torch_worker;
  both.probe_worker |= before.probe_worker;
  both.counters |= before.counters;
  if (before.gpus.size() > now.gpus.size()) both.gpus = before.gpus;
  return both;
}

}  // namespace

void record_origin(const fs::path& folder, const StudyOrigin& origin) {
  StudyOrigin now = origin;
  if (is_there(origin_file(folder))) {
    const StudyOrigin found = read_origin(folder, origin.title);
    if (!now.machine) now.machine = found.machine;
    if (found.machine) now.machine = united(*now.machine, *found.machine);
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
                "wait for it, or give this one a separate folder");
  }
}

}  // namespace

StudyFolder::StudyFolder(fs::path path, const StudyOrigin& origin, Shard shard)
    : path_(std::move(path)), lock_(path_, format("{}-of-{}", shard.index, shard.count)) {
  refuse_other_counts(path_, shard);
  record_origin(path_, origin);
  make_folders(cases());
}

}  // namespace rooflab::study
