#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "base/folder_lock.hpp"
#include "engine/probe.hpp"
#include "fit_network.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/task/device_choice.hpp"

namespace rooflab::task {

/// Asks the device by running sizes. What was asked is kept in a journal, a JSON object a line, and
/// not asked again.
class FitSearch {
 public:
  FitSearch(const FitRequest& request, const TargetDevice& device, const FitNetwork& network,
            const Session& session);

  /// Fills what was found, beginning at what is expected.
  void run(FitOutcome& outcome, std::span<const predict::FrontierPoint> expected);

 private:
  void read_journal(engine::ProbeJournal& journal);
  [[nodiscard]] const analyze::FitTry* try_of(FitCounts counts) const;
  /// Whether these counts run on the device. Throws SearchInterrupted, and Error (capability) for a
  /// case that ends in another way than well or out of memory.
  [[nodiscard]] bool runs(FitCounts counts);
  [[nodiscard]] engine::Case case_of(const LoadedModel& loaded) const;
  /// What makes a try comparable with another.
  [[nodiscard]] Json search_request() const;

  const FitRequest& request_;
  const TargetDevice& device_;
  const FitNetwork& network_;
  const Session& session_;
  std::filesystem::path worker_;
  std::optional<FolderLock> lock_;
  std::optional<engine::ProbeJournal> journal_;
  std::vector<analyze::FitTry>
      tries_;  ///< in the order in which they ran, those of the journal first
};

}  // namespace rooflab::task
