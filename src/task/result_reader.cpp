#include <algorithm>
#include <chrono>
#include <utility>

#include "base/format.hpp"
#include "counters/profile_reader.hpp"
#include "describe/json_fields.hpp"
#include "describe/schema.hpp"
#include "own_table.hpp"
#include "reported_ops.hpp"
#include "rooflab/analyze/result_set.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/import/readers.hpp"
#include "rooflab/recording/recording.hpp"
#include "rooflab/system/file.hpp"
#include "rooflab/task/results.hpp"
#include "rooflab/trace/trace_parts.hpp"
#include "system/path_status.hpp"

namespace rooflab::task {
namespace {

namespace fs = std::filesystem;
using import::FileKind;

std::string readable() {
  return format(
      "Rooflab reads {}, its own records and the profiles of rooflab profile (.jsonl);"
      " rooflab import --help",
      import::readable_tool_files());
}

bool is_known(FileKind kind) { return kind != FileKind::unknown && kind != FileKind::empty; }

/// Shows progress where the work takes over a second.
class Progress {
 public:
  Progress(const Session& session, std::string name) : session_(session), name_(std::move(name)) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { session_.show_progress(""); }

  void show(double done) const {
    const double passed_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    if (passed_s < 1.0 || done <= 0.0) return;
    session_.show_progress(
        format("{}: {:.0f} %, {:.0f} s left", name_, 100.0 * done, passed_s * (1.0 - done) / done));
  }

 private:
  const Session& session_;
  std::string name_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

std::vector<analyze::Recording> one(record::Record record, std::string source) {
  std::vector<analyze::Recording> recordings;
  recordings.push_back({std::move(record), std::move(source)});
  return recordings;
}

/// JSON of a command: `results` has them afterwards. False: the file holds something else.
bool add_results_of_command(const ResultFile& file, const device::Catalog& catalog,
                            const std::optional<device::Device>& roofs,
                            const analyze::CalibrationLookup& calibrations,
                            analyze::ResultSet& results) {
  const std::string source = file.path.string();
  const auto add = [](auto& list, auto&& more) {
    for (auto& each : more) list.push_back(std::move(each));
  };
  const auto json = [&] { return parse_json(read_file(file.path), source); };
  switch (file.kind) {
    case FileKind::prediction:
      add(results.predictions, analyze::predictions_from_json(json(), source, catalog));
      return true;
    case FileKind::measurement:
      for (analyze::MeasuredCase& each :
           analyze::measured_cases_from_json(json(), source, catalog, roofs, calibrations)) {
        each.source = source;
        results.measured.push_back(std::move(each));
      }
      return true;
    case FileKind::training:
      add(results.trainings, analyze::trainings_from_json(json(), source));
      return true;
    case FileKind::training_run:
      results.trainings.push_back({file.path.parent_path().lexically_normal().string(),
                                   load_file<record::TrainingRun>(file.path)});
      return true;
    case FileKind::scale_run:
      results.scaled.push_back(load_file<record::ScaleRun>(file.path));
      return true;
    default:
      return false;
  }
}

}  // namespace

std::vector<ResultFile> result_files(const std::vector<std::string>& names) {
  std::vector<ResultFile> files;
  for (const std::string& name : names) {
    const fs::path path(name);
    if (!is_folder(path)) {
      if (recording::is_recording(path)) {
        throw Error(ErrorKind::input,
                    "this is a recording of PyTorch's operations, without results",
                    "it is a MODEL of summary, predict, fit and roofline", {name, {}, {}, {}});
      }
      refuse_own_table(path);
      const FileKind kind = import::file_kind_of(path);
      if (!is_known(kind)) {
        throw Error(
            ErrorKind::input,
            kind == FileKind::empty ? "the file is empty" : "cannot tell what this file holds",
            readable(), {name, {}, {}, {}});
      }
      files.push_back({path, kind});
      continue;
    }
    std::vector<ResultFile> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
      // Runs of training have separate folders.
      const fs::path file = is_folder(entry.path()) ? entry.path() / "run.json" : entry.path();
      // A profile's ops lie next to it, and tables next to the results that they were made of.
      if (!is_file(file) || recording::is_recording(file)) continue;
      if (is_own_table(file)) continue;
      const FileKind kind = import::file_kind_of(file);
      if (is_known(kind)) found.push_back({file, kind});
    }
    // nsys leaves its reports next to what it makes of them.
    const auto is_report = [](const ResultFile& file) {
      return file.kind == FileKind::nsys_report;
    };
    if (!std::ranges::all_of(found, is_report)) std::erase_if(found, is_report);
    if (found.empty()) {
      throw Error(ErrorKind::input, format("'{}' holds no file that Rooflab reads", name),
                  readable());
    }
    std::ranges::sort(found, {}, &ResultFile::path);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

namespace {

std::vector<analyze::Recording> recordings_in(const ResultFile& file, const Session& session) {
  const std::string name = file.path.string();
  const Progress progress(session, file.path.filename().string());
  const import::ImportOptions options = {.progress = [&](double done) { progress.show(done); }};
  switch (file.kind) {
    case FileKind::record:
      return analyze::recordings_from_json(parse_json(read_file(file.path), name), name);
    case FileKind::profile:
      return one(counters::read_profile(file.path, options.progress), name);
    default:
      if (import::is_of_tool(file.kind)) {
        return one(import::read_tool_file(file.kind, file.path, options), name);
      }
  }
  const bool comparable = file.kind == FileKind::measurement || file.kind == FileKind::prediction;
  throw Error(
      ErrorKind::input, format("{} is not a recording", name_of(file.kind)),
      comparable ? "rooflab report takes it, and rooflab compare" : "rooflab report takes it",
      {name, {}, {}, {}});
}

}  // namespace

std::vector<analyze::Recording> read_recordings(const ResultFile& file, const Session& session) {
  std::vector<analyze::Recording> ranks;
  for (analyze::Recording& each : recordings_in(file, session)) {
    for (trace::TracePart& part : trace::parts_of(std::move(each.record))) {
      ranks.push_back({std::move(part.record),
                       part.name.empty() ? each.source : format("{}: {}", each.source, part.name),
                       file.path.string()});
    }
  }
  return ranks;
}

analyze::ResultSet read_result_set(const std::vector<std::string>& names,
                                   const device::Catalog& catalog,
                                   const std::optional<device::Device>& roofs,
                                   const analyze::CalibrationLookup& calibrations,
                                   const Session& session) {
  analyze::ResultSet results;
  std::vector<analyze::Recording> recorded;
  for (const ResultFile& file : result_files(names)) {
    if (add_results_of_command(file, catalog, roofs, calibrations, results)) continue;
    for (analyze::Recording& each : read_recordings(file, session)) {
      const record::Record& record = each.record;
      if ((record.kernels && !record.timing) || record.trace) {
        recorded.push_back(std::move(each));
      } else if (record.timing || record.status != record::Status::ok) {
        results.measured.push_back(
            analyze::measured_case_of(std::move(each.record), catalog, roofs, calibrations));
        results.measured.back().source = std::move(each.source);
      } else {
        results.watched.push_back(std::move(each));
      }
    }
  }
  add_imported(results, std::move(recorded), catalog, roofs);
  return results;
}

void add_imported(analyze::ResultSet& results, std::vector<analyze::Recording> recorded,
                  const device::Catalog& catalog, const std::optional<device::Device>& roofs) {
  std::vector<record::Record> records;
  for (analyze::Recording& each : recorded) {
    add_modelled_step(each.record, catalog);
    records.push_back(std::move(each.record));
  }
  results.job = trace::job_of(records);
  for (std::size_t i = 0; i < records.size(); ++i) {
    results.imported.push_back(analyze::imported_case_of(
        std::move(records[i]), std::move(recorded[i].source), catalog, roofs));
    if (!recorded[i].file.empty()) results.imported.back().file = std::move(recorded[i].file);
  }
}

}  // namespace rooflab::task
