#pragma once

#include <map>
#include <vector>

#include "fit_network.hpp"
#include "rooflab/task/device_choice.hpp"

namespace rooflab::task {

/// The boundaries of what fits, by the model of the device's memory. A verdict is predict::fit's,
/// as everywhere.
class FitPrediction {
 public:
  FitPrediction(const FitRequest& request, const TargetDevice& device, const FitNetwork& network)
      : request_(request), device_(device), network_(network) {}

  /// What is asked, and what is predicted of it. Where ops are not counted whose memory may be
  /// large, `uncounted` has them and nothing is predicted.
  [[nodiscard]] analyze::FitResult result();

  /// Where a run is expected to end, for a search on the device to begin at.
  [[nodiscard]] const std::vector<predict::FrontierPoint>& expected() const { return expected_; }

 private:
  /// Circumstances that a report of a boundary may leave out: another phase or precision, results
  /// that a loop keeps.
  struct Circumstance {
    std::string name;
    schedule::LoweringOptions lowering;
    predict::StepLoop loop;
  };
  /// What is to be said of counts with room for everything.
  struct Judgement {
    predict::MemoryEstimate memory;
    predict::Verdict verdict;
  };

  [[nodiscard]] analyze::FitResult head() const;
  [[nodiscard]] Judgement judged(const schedule::Schedule& schedule,
                                 predict::StepLoop loop = {}) const;
  /// Kept, because the searches for several verdicts ask about the same counts.
  [[nodiscard]] const Judgement& judgement_of(FitCounts counts);
  [[nodiscard]] bool runs(const schedule::Schedule& schedule, predict::StepLoop loop = {}) const;
  [[nodiscard]] std::vector<predict::FrontierPoint> frontier_of(predict::Verdict verdict);
  [[nodiscard]] std::optional<predict::SearchStart> start();
  [[nodiscard]] std::vector<std::int64_t> one_more(const predict::FrontierPoint& found) const;
  [[nodiscard]] analyze::FitPoint point_of(const predict::FrontierPoint& found);
  void add_verdicts(std::vector<analyze::FitPoint>& points);
  void add_step(analyze::FitPoint& point) const;
  [[nodiscard]] std::vector<Circumstance> other_circumstances() const;
  [[nodiscard]] analyze::FitCircumstance boundary_in(const Circumstance& circumstance) const;
  void add_notes(analyze::FitResult& result) const;

  const FitRequest& request_;
  const TargetDevice& device_;
  const FitNetwork& network_;
  std::map<std::vector<std::int64_t>, Judgement> judgements_;
  std::vector<predict::FrontierPoint> largest_;
  std::vector<predict::FrontierPoint> expected_;
};

}  // namespace rooflab::task
