#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/record/record.hpp"

namespace rooflab::task {

/// A folder of record files, one a case: `resnet18-cuda0-b256-training-tf32.json`. A case measured
/// again replaces its file; another case never does.
class RecordFolder {
 public:
  /// Makes the folder where it is not there, and reads its records. Throws Error (input).
  explicit RecordFolder(std::filesystem::path path);

  /// The record of exactly this case, command line and thereby settings included, when it needs
  /// no second run: it is ok, oom or unsupported.
  [[nodiscard]] const record::Record* finished(const record::CaseIdentity& identity) const;

  /// Writes the record atomically and says where.
  std::filesystem::path write(const record::Record& record);

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::map<std::filesystem::path, record::Record> records_;
};

/// A file's name for a case, without extension: letters, digits, `.`, `_` and `-` only.
[[nodiscard]] std::string record_file_stem(const record::CaseIdentity& identity);

}  // namespace rooflab::task
