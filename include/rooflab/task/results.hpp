#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/analyze/result_set.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/import/readers.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/record/scale_run.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab {
class FolderLock;
}

namespace rooflab::task {

/// A folder of files, one per case or a data-parallel run:
/// `resnet18-cuda0-b256-training-tf32.json`, `resnet18-cuda0-b64-training-amp-x4.json`. A run that
/// is repeated replaces its file; other runs never do. While this object lives, no other process
/// can use the folder.
template <class Run>
class RunFolder {
 public:
  /// Makes the folder if it is missing, and reads its files. With an empty path nothing is read or
  /// kept. Throws Error (input) when another process uses the folder, and Error (system) where it
  /// cannot be written.
  explicit RunFolder(std::filesystem::path path);

  /// A sentence for each file of a run that cannot be read. Such a file is never replaced.
  [[nodiscard]] const std::vector<std::string>& unreadable() const { return unreadable_; }

  /// The finished run of exactly this case (including its command line and so its settings) and
  /// number of ranks; finished means ok, oom or unsupported. nullptr: none.
  [[nodiscard]] const Run* finished(const record::CaseIdentity& identity, int ranks = 1) const;

  /// Writes the file of a run atomically. An incomplete case does not replace a file. Throws Error
  /// (system).
  void write(const Run& run);

 private:
  std::filesystem::path path_;
  std::shared_ptr<const FolderLock> lock_;
  std::map<std::filesystem::path, Run> runs_;
  std::vector<std::string> unreadable_;
};
using RecordFolder = RunFolder<record::Record>;
using ScaleFolder = RunFolder<record::ScaleRun>;

/// Name of a case's file without extension, with letters, digits, `.`, `_` and `-` only.
[[nodiscard]] std::string record_file_stem(const record::CaseIdentity& identity);

/// A file to read, as the user named it (or its folder), with its kind.
struct ResultFile {
  std::filesystem::path path = {};
  import::FileKind kind = import::FileKind::unknown;
};

/// Lists the named files, and those files of named folders that Rooflab can read, by name. Throws
/// Error (input) for a file of unknown kind, and for a folder without a known file.
[[nodiscard]] std::vector<ResultFile> result_files(const std::vector<std::string>& names);

/// Reads a record, a CSV or report of Nsight Compute, a PyTorch trace, the profile of a process, or
/// the records that import and profile write into one file, and shows progress. A capture of
/// several processes gives one recording per process.
[[nodiscard]] std::vector<analyze::Recording> read_recordings(const ResultFile& file,
                                                              const Session& session);

/// Reads files of any kind of result. `roofs`: device that everything is compared with; nullopt:
/// each result is compared with its own device, and measured ones also with predictions by
/// `calibrations`.
[[nodiscard]] analyze::ResultSet read_result_set(const std::vector<std::string>& names,
                                                 const device::Catalog& catalog,
                                                 const std::optional<device::Device>& roofs,
                                                 const analyze::CalibrationLookup& calibrations,
                                                 const Session& session);

/// Adds recordings of tools, and their job where all of them are traces of its ranks.
void add_imported(analyze::ResultSet& results, std::vector<analyze::Recording> recorded,
                  const device::Catalog& catalog, const std::optional<device::Device>& roofs = {});

}  // namespace rooflab::task
