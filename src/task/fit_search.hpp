#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "engine/worker_probe.hpp"
#include "fit_network.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/task/device_choice.hpp"
#include "system/folder_lock.hpp"

namespace rooflab::task {

/// Searches the boundary by running sizes on the device. Tries are kept in a journal, one JSON
/// object per line, and not repeated.
class FitSearch {
 public:
  FitSearch(const FitRequest& request, const TargetDevice& device, const FitNetwork& network,
            const Session& session);

  /// Fills in the found boundaries, starting at the expected ones.
  void run(FitOutcome& outcome, std::span<const predict::FrontierPoint> expected);

 private:
  void read_journal(engine::ProbeJournal& journal);
  [[nodiscard]] const analyze::FitTry* try_of(FitCounts counts) const;
  /// Whether these counts run on the device. Throws SearchInterrupted, and Error (capability) for a
  /// case that neither ends well nor runs out of memory.
  [[nodiscard]] bool runs(FitCounts counts);
  [[nodiscard]] engine::Case case_of(const LoadedModel& loaded) const;
  /// Properties that must be equal for tries to be comparable.
  [[nodiscard]] Json search_request() const;

  const FitRequest& request_;
  const TargetDevice& device_;
  const FitNetwork& network_;
  const Session& session_;
  std::filesystem::path worker_;
  std::optional<FolderLock> lock_;
  std::optional<engine::ProbeJournal> journal_;
  std::vector<analyze::FitTry> tries_;  ///< in the order of the runs, those of the journal first
};

}  // namespace rooflab::task
