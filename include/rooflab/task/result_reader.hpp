#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/analyze/result_set.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/import/file_kind.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {

/// A file to read, as the user named it (or its folder), with what it holds.
struct ResultFile {
  std::filesystem::path path;
  import::FileKind kind = import::FileKind::unknown;
};

/// The files themselves and those of folders, by name, that hold something Rooflab reads. Throws
/// Error (input) for a file that it does not know, and for a folder without any that it does.
[[nodiscard]] std::vector<ResultFile> result_files(const std::vector<std::string>& names);

/// Reads a record, a CSV or report of Nsight Compute, a PyTorch trace, the profile of a process, or
/// the several records that import and profile write into one file; says how far it is.
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
