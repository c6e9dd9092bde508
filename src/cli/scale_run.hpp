#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "console.hpp"
#include "rooflab/engine/ranks.hpp"

namespace rooflab::cli {

/// A folder of data-parallel runs, a file each: `resnet18-cuda0-b64-training-amp-x4.json`. A run
/// measured again replaces its file; another never does.
class ScaleFolder {
 public:
  /// Makes the folder where it is not there, and reads its runs. Throws Error (input).
  explicit ScaleFolder(std::filesystem::path path);

  /// The run of exactly this request that needs no second try: it is ok, oom or unsupported.
  [[nodiscard]] const record::ScaleRun* finished(const engine::ScaleRequest& request,
                                                 int ranks) const;
  /// Of runs on this host alone.
  [[nodiscard]] bool has_all(const std::vector<engine::ScaleRequest>& requests) const;
  void write(const record::ScaleRun& run);
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::map<std::filesystem::path, record::ScaleRun> runs_;
};

struct ScaleRunOptions {
  std::filesystem::path worker;
  std::optional<engine::RankPlace> place;  ///< under a launcher
  ScaleFolder* folder = nullptr;           ///< where each run goes as soon as there is one
  bool resume = false;                     ///< take what the folder has
};

/// Runs them one after the other until the last one or until InterruptGuard is interrupted. On
/// other ranks than 0 of a launcher only runs that failed there.
[[nodiscard]] std::vector<record::ScaleRun> run_scales(
    const std::vector<engine::ScaleRequest>& requests, const ScaleRunOptions& options,
    const Console& console);

}  // namespace rooflab::cli
