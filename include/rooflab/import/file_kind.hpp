#pragma once

#include <filesystem>
#include <string_view>

#include "rooflab/base/enum_names.hpp"

namespace rooflab::import {

/// Kind of a file, detected from its content.
enum class FileKind {
  record,        ///< Rooflab's record: `rooflab measure -o DIR`, `monitor`, `import`
  measurement,   ///< JSON of `measure -o x.json`
  prediction,    ///< JSON of `predict -o x.json`
  training,      ///< JSON of `train -o x.json`
  training_run,  ///< `run.json` of a run of `train -o DIR`
  scale_run,     ///< a run of `scale -o DIR`
  ncu_csv,       ///< printed by `ncu --csv`
  ncu_report,    ///< .ncu-rep, Nsight Compute's own format
  trace,         ///< trace of the PyTorch profiler, perhaps compressed with gzip
  profile,       ///< profile of one process under `rooflab profile`
  empty,
  unknown,
};
constexpr auto names_in_order(For<FileKind>) {
  return names_through<FileKind::unknown>(
      "a record of Rooflab", "JSON of measure", "JSON of predict", "JSON of train",
      "a run of train", "a run of scale", "CSV of Nsight Compute", "a report of Nsight Compute",
      "a PyTorch trace", "a profile of rooflab profile", "an empty file", "an unknown file");
}

/// Looks at the beginning of the file. Throws Error (input) where it cannot be read.
[[nodiscard]] FileKind file_kind_of(const std::filesystem::path& path);

/// The same for the first bytes of a file; `name` helps if they are not conclusive.
[[nodiscard]] FileKind file_kind_of(std::string_view head, const std::filesystem::path& name);

}  // namespace rooflab::import
