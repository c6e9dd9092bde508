#include "machine_folders.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "base/fnv1a.hpp"
#include "base/format.hpp"
#include "case_file.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/system/file.hpp"
#include "run.hpp"
#include "study_folder.hpp"
#include "system/path_status.hpp"

namespace rooflab::study {
namespace {

namespace fs = std::filesystem;

fs::path machines_in(const fs::path& root) { return root / "machines"; }

std::optional<Machine> machine_of(const fs::path& folder) {
  return is_there(origin_file(folder)) ? read_origin(folder).machine : std::nullopt;
}

/// Where such a machine's results are if those of `first` are in `root`.
fs::path folder_beside(const fs::path& root, const std::optional<Machine>& first,
                       const std::optional<Machine>& machine) {
  if (!first || !machine || is_same_hardware(*first, *machine)) return root;
  for (const fs::path& folder : machine_folders(root)) {
    const std::optional<Machine> known = folder == root ? std::nullopt : machine_of(folder);
    if (known && is_same_hardware(*known, *machine)) return folder;
  }
  const std::string hardware = format("{}\n{}", machine_name(*machine), machine->cpu);
  return machines_in(root) / format("{:08x}", static_cast<std::uint32_t>(fnv1a(hardware)));
}

std::vector<fs::path> outcome_files(const fs::path& folder) {
  std::set<fs::path> files;
  if (is_folder(folder / "cases")) {
    for (const fs::directory_entry& entry : fs::directory_iterator(folder / "cases")) {
      const std::string name = entry.path().filename().string();
      if (name.ends_with(".json") && !name.ends_with(".part.json")) files.insert(entry.path());
    }
  }
  return {files.begin(), files.end()};
}

CaseOutcome outcome_of(const fs::path& file) {
  return case_outcome_from_json(parse_json(read_file(file), file.string()), file.string());
}

/// Whether `other` counts in place of `here`.
bool is_better(const fs::path& here, const fs::path& other, TwoRuns two_runs) {
  const CaseOutcome a = outcome_of(here);
  const CaseOutcome b = outcome_of(other);
  if (a.command == b.command && a.began == b.began && a.result == b.result) return false;
  if (two_runs == TwoRuns::are_refused) {
    throw Error(ErrorKind::input,
                format("'{}' and '{}' are two runs of one case", here.string(), other.string()),
                "merge shards of one run: each case belongs to one of them");
  }
  if (has_failed(a) != has_failed(b)) return has_failed(a);
  return a.began < b.began;
}

/// Outcomes by the file that they become, and the origins of their folders.
class Collection {
 public:
  Collection(fs::path root, StudyOrigin origin, TwoRuns two_runs)
      : root_(std::move(root)), origin_(std::move(origin)), two_runs_(two_runs) {}

  void add(const fs::path& source) {
    (void)origin_in(source);
    std::size_t found = 0;
    for (const fs::path& folder : machine_folders(source)) {
      const StudyOrigin own = origin_in(folder);
      if (!origin_.machine) origin_.machine = own.machine;
      if (origin_.command.empty()) origin_.command = own.command;
      const fs::path target = folder_beside(root_, origin_.machine, own.machine);
      if (target != root_) others_.try_emplace(target, own);
      for (const fs::path& file : outcome_files(folder)) {
        ++found;
        (void)outcome_of(file);
        put(target / "cases" / file.filename(), file);
      }
    }
    if (found > 0) return;
    throw Error(ErrorKind::input, format("'{}' holds no finished case", source.string()));
  }

  void write() const {
    const StudyFolder first(root_, origin_, Shard());
    for (const auto& [folder, origin] : others_) {
      make_folders(folder / "cases");
      record_origin(folder, origin);
    }
    for (const auto& [target, file] : files_) write_file_atomically(target, read_file(file));
  }

 private:
  [[nodiscard]] StudyOrigin origin_in(const fs::path& folder) const {
    return read_origin_as(folder, origin_.title, format("the study is: {}", origin_.title));
  }

  void put(const fs::path& target, const fs::path& file) {
    const auto known = files_.find(target);
    const bool is_written = known == files_.end() && is_there(target);
    if (is_written && fs::equivalent(target, file)) return;
    const fs::path& here = is_written ? target : known == files_.end() ? file : known->second;
    if (here == file || is_better(here, file, two_runs_)) files_.insert_or_assign(target, file);
  }

  fs::path root_;
  StudyOrigin origin_;
  TwoRuns two_runs_;
  std::map<fs::path, StudyOrigin>
      others_;  ///< those of other machines, by their folders in the root
  std::map<fs::path, fs::path> files_;
};

}  // namespace

fs::path folder_of_machine(const fs::path& root, const std::optional<Machine>& machine) {
  return folder_beside(root, machine_of(root), machine);
}

std::vector<fs::path> machine_folders(const fs::path& root) {
  std::set<fs::path> others;
  if (is_folder(machines_in(root))) {
    for (const fs::directory_entry& entry : fs::directory_iterator(machines_in(root))) {
      if (is_there(origin_file(entry.path()))) others.insert(entry.path());
    }
  }
  std::vector<fs::path> all;
  if (is_there(origin_file(root))) all.push_back(root);
  all.insert(all.end(), others.begin(), others.end());
  return all;
}

void take_results(std::span<const fs::path> folders, StudyOrigin origin, const fs::path& root,
                  TwoRuns two_runs) {
  if (is_there(origin_file(root))) origin.machine = machine_of(root);
  Collection collection(root, std::move(origin), two_runs);
  for (const fs::path& folder : folders) collection.add(folder);
  collection.write();
}

}  // namespace rooflab::study
