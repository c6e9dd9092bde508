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
/// `resnet18-cuda0-b256-training-tf32.json`, `resnet18-cuda0-b64-training-amp-x4.json`. One that is
/// measured again replaces its file; another never does. No other process can use the folder as
/// long as this lives.
template <class Run>
class RunFolder {
 public:
  /// Makes the folder where it is not there, and reads its files. Throws Error (input) when another
  /// process uses it, Error (system) where it cannot be written. An empty path: nothing is read or
  /// kept.
  explicit RunFolder(std::filesystem::path path);

  /// A sentence for each file that should hold a run and cannot be read. It is never replaced.
  [[nodiscard]] const std::vector<std::string>& unreadable() const { return unreadable_; }

  /// The run of exactly this case, command line and thereby settings included, and number of ranks,
  /// when it needs no second try: it is ok, oom or unsupported.
  [[nodiscard]] const Run* finished(const record::CaseIdentity& identity, int ranks = 1) const;

  /// Writes the file atomically, but half a case is not a result: the folder keeps what was there.
  /// Throws Error (system).
  void write(const Run& run);

 private:
  std::filesystem::path path_;
  std::shared_ptr<const FolderLock> lock_;
  std::map<std::filesystem::path, Run> runs_;
  std::vector<std::string> unreadable_;
};
using RecordFolder = RunFolder<record::Record>;
using ScaleFolder = RunFolder<record::ScaleRun>;

/// A file's name for a case, without extension: letters, digits, `.`, `_` and `-` only.
[[nodiscard]] std::string record_file_stem(const record::CaseIdentity& identity);

/// A file to read, as the user named it (or its folder), with what it holds.
struct ResultFile {
  std::filesystem::path path;
  import::FileKind kind = import::FileKind::unknown;
};

/// The files themselves and those of folders, by name, that hold something Rooflab reads. Throws
/// Error (input) for a file that it does not know, and for a folder without any that it does.
[[nodiscard]] std::vector<ResultFile> result_files(const std::vector<std::string>& names);

/// Reads a record, a CSV or report of Nsight Compute, a PyTorch trace, the profile of a process, or
/// the several records that import and profile write into one file; says how far it is. Of a
/// capture of several processes each is one, as if it had a file of its own.
[[nodiscard]] std::vector<analyze::Recording> read_recordings(const ResultFile& file,
                                                              const Session& session);

/// All of the files as the kinds of results that they are. `roofs`: the device that everything is
/// set against; without it, each is against its own, measured ones beside what `calibrations` lets
/// expect of it.
[[nodiscard]] analyze::ResultSet read_result_set(const std::vector<std::string>& names,
                                                 const device::Catalog& catalog,
                                                 const std::optional<device::Device>& roofs,
                                                 const analyze::CalibrationLookup& calibrations,
                                                 const Session& session);

/// Adds what tools recorded, and the job where all of them are traces of its ranks.
void add_imported(analyze::ResultSet& results, std::vector<analyze::Recording> recorded,
                  const device::Catalog& catalog, const std::optional<device::Device>& roofs = {});

}  // namespace rooflab::task
