#include "result_reader.hpp"

#include <algorithm>
#include <chrono>

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
    " (.json, .json.gz) and its own records; rooflab import --help";

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

record::Record read_result(const ResultFile& file, const Console& console) {
  const Progress progress(console, file.path.filename().string());
  const import::ImportOptions options = {.progress = [&](double done) { progress.show(done); }};
  switch (file.kind) {
    case FileKind::record:
      return record::read_record(file.path);
    case FileKind::ncu_csv:
      return import::read_ncu_csv(file.path, options);
    case FileKind::ncu_report:
      return import::read_ncu_report(file.path, options);
    case FileKind::trace:
      return import::read_kineto_trace(file.path, options);
    case FileKind::profile:
      return counters::read_profile(file.path, options.progress);
    case FileKind::measurement:
    case FileKind::prediction:
    case FileKind::empty:
    case FileKind::unknown:
      break;
  }
  throw Error(ErrorKind::input, format("{} is no recording", import::name_of(file.kind)),
              "rooflab report takes it, and rooflab compare", {file.path.string(), {}, {}, {}});
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
    record::Record record = read_result(file, console);
    if (record.kernels || record.trace) {
      recorded.push_back(std::move(record));
      sources.push_back(source);
    } else if (record.timing || record.status != record::Status::ok) {
      add_measured(std::move(record), source);
    } else {
      results.watched.push_back(std::move(record));
      results.watched_sources.push_back(source);
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
