#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "rooflab/record/record.hpp"
#include "rooflab/record/scale_run.hpp"

namespace rooflab::task {

/// A folder of files, one per case or a data-parallel run:
/// `resnet18-cuda0-b256-training-tf32.json`, `resnet18-cuda0-b64-training-amp-x4.json`. One that is
/// measured again replaces its file; another never does.
template <class Run>
class RunFolder {
 public:
  /// Makes the folder where it is not there, and reads its files. Throws Error (input). An empty
  /// path: nothing is read or kept.
  explicit RunFolder(std::filesystem::path path);

  /// The run of exactly this case, command line and thereby settings included, and number of ranks,
  /// when it needs no second try: it is ok, oom or unsupported.
  [[nodiscard]] const Run* finished(const record::CaseIdentity& identity, int ranks = 1) const;

  /// Writes the file atomically, but half a case is not a result: the folder keeps what was there.
  void write(const Run& run);

 private:
  std::filesystem::path path_;
  std::map<std::filesystem::path, Run> runs_;
};
using RecordFolder = RunFolder<record::Record>;
using ScaleFolder = RunFolder<record::ScaleRun>;

/// A file's name for a case, without extension: letters, digits, `.`, `_` and `-` only.
[[nodiscard]] std::string record_file_stem(const record::CaseIdentity& identity);

}  // namespace rooflab::task
