#include "result_reader.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "rooflab/analyze/result_file.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/counters/profile_reader.hpp"
#include "rooflab/import/kineto_reader.hpp"
#include "rooflab/import/ncu_reader.hpp"
#include "rooflab/import/ncu_report.hpp"
#include "rooflab/record/record_json.hpp"

namespace rooflab::cli {
namespace {

namespace fs = std::filesystem;
using import::FileKind;

constexpr std::string_view readable =
    "Rooflab reads CSV of Nsight Compute (ncu --csv), .ncu-rep, traces of the PyTorch profiler"
    " (.json, .json.gz), its own records and the profiles of rooflab profile (.jsonl); rooflab"
    " import --help";

bool is_known(FileKind kind) { return kind != FileKind::unknown && kind != FileKind::empty; }

/// Shows progress where the work takes over a second.
class Progress {
 public:
  Progress(const Console& console, std::string name) : console_(console), name_(std::move(name)) {}
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress() { console_.clear_progress(); }

  void show(double done) const {
    const double passed_s =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    if (passed_s < 1.0 || done <= 0.0) return;
    console_.show_progress(
        format("{}: {:.0f} %, {:.0f} s left", name_, 100.0 * done, passed_s * (1.0 - done) / done));
  }

 private:
  const Console& console_;
  std::string name_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

std::vector<Recording> one(record::Record record, std::string source) {
  std::vector<Recording> recordings;
  recordings.push_back({std::move(record), std::move(source)});
  return recordings;
}

/// A record, or the `imports` of several files or processes.
std::vector<Recording> records_of(const Json& json, const std::string& file) {
  const auto imports = json.is_object() ? json.find("imports") : json.end();
  if (imports == json.end() || !imports->is_array()) {
    return one(record::record_from_json(json, file), file);
  }
  std::vector<Recording> recordings;
  for (const Json& each : *imports) {
    const auto source = each.is_object() ? each.find("source") : each.end();
    const bool named = source != each.end() && source->is_string();
    recordings.push_back({record::record_from_json(each, file),
                          named ? format("{}: {}", file, source->get<std::string>()) : file});
  }
  return recordings;
}

}  // namespace

std::vector<ResultFile> result_files(const std::vector<std::string>& names) {
  std::vector<ResultFile> files;
  for (const std::string& name : names) {
    const fs::path path(name);
    std::error_code status;
    if (!fs::is_directory(path, status)) {
      const FileKind kind = import::file_kind_of(path);
      if (kind == FileKind::empty) {
        throw Error(ErrorKind::input, "the file is empty", std::string(readable),
                    {name, {}, {}, {}});
      }
      if (kind == FileKind::unknown) {
        throw Error(ErrorKind::input, "cannot tell what this file holds", std::string(readable),
                    {name, {}, {}, {}});
      }
      files.push_back({path, kind});
      continue;
    }
    std::vector<ResultFile> found;
    for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
      if (!entry.is_regular_file(status)) continue;
      const FileKind kind = import::file_kind_of(entry.path());
      if (is_known(kind)) found.push_back({entry.path(), kind});
    }
    if (found.empty()) {
      throw Error(ErrorKind::input, format("'{}' holds no file that Rooflab reads", name),
                  std::string(readable));
    }
    std::ranges::sort(found, {}, &ResultFile::path);
    files.insert(files.end(), found.begin(), found.end());
  }
  return files;
}

std::vector<Recording> read_recordings(const ResultFile& file, const Console& console) {
  const std::string name = file.path.string();
  const Progress progress(console, file.path.filename().string());
  const import::ImportOptions options = {.progress = [&](double done) { progress.show(done); }};
  switch (file.kind) {
    case FileKind::record:
      return records_of(parse_json(read_file(file.path), name), name);
    case FileKind::ncu_csv:
      return one(import::read_ncu_csv(file.path, options), name);
    case FileKind::ncu_report:
      return one(import::read_ncu_report(file.path, options), name);
    case FileKind::trace:
      return one(import::read_kineto_trace(file.path, options), name);
    case FileKind::profile:
      return one(counters::read_profile(file.path, options.progress), name);
    case FileKind::measurement:
    case FileKind::prediction:
    case FileKind::empty:
    case FileKind::unknown:
      break;
  }
  throw Error(ErrorKind::input, format("{} is no recording", import::name_of(file.kind)),
              "rooflab report takes it, and rooflab compare", {name, {}, {}, {}});
}

analyze::ResultSet read_result_set(const std::vector<std::string>& names,
                                   const device::Catalog& catalog,
                                   const std::optional<device::Device>& roofs,
                                   const Console& console) {
  analyze::ResultSet results;
  std::vector<record::Record> recorded;
  std::vector<std::string> sources;
  const auto add_measured = [&](record::Record record, const std::string& source) {
    results.measured.push_back(analyze::measured_case_of(std::move(record), catalog, roofs));
    results.measured_sources.push_back(source);
  };
  for (const ResultFile& file : result_files(names)) {
    const std::string source = file.path.string();
    if (file.kind == FileKind::prediction) {
      for (analyze::CaseResult& each : analyze::predictions_from_json(
               parse_json(read_file(file.path), source), source, catalog)) {
        results.predictions.push_back(std::move(each));
      }
      continue;
    }
    if (file.kind == FileKind::measurement) {
      for (record::Record& each :
           analyze::measurements_from_json(parse_json(read_file(file.path), source), source)) {
        add_measured(std::move(each), source);
      }
      continue;
    }
    for (auto& [record, name] : read_recordings(file, console)) {
      if ((record.kernels && !record.timing) || record.trace) {
        recorded.push_back(std::move(record));
        sources.push_back(std::move(name));
      } else if (record.timing || record.status != record::Status::ok) {
        add_measured(std::move(record), name);
      } else {
        results.watched.push_back(std::move(record));
        results.watched_sources.push_back(std::move(name));
      }
    }
  }
  results.job = analyze::job_of(recorded);
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    results.imported.push_back(
        analyze::imported_case_of(std::move(recorded[i]), sources[i], catalog, roofs));
  }
  return results;
}

}  // namespace rooflab::cli
