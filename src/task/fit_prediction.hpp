#pragma once

#include <map>
#include <vector>

#include "fit_network.hpp"
#include "rooflab/task/device_choice.hpp"

namespace rooflab::task {

/// Predicts the boundaries of what fits by the model of the device's memory. Verdicts are from
/// predict::fit().
class FitPrediction {
 public:
  FitPrediction(const FitRequest& request, const TargetDevice& device, const FitNetwork& network)
      : request_(request), device_(device), network_(network) {}

  /// The request with its prediction. If ops whose memory may be large are not counted, they are in
  /// `uncounted` and nothing is predicted.
  [[nodiscard]] analyze::FitResult result();

  /// Boundary at which runs are expected to end, as a start for a search on the device.
  [[nodiscard]] const std::vector<predict::FrontierPoint>& expected() const { return expected_; }

 private:
  /// Circumstances that others may not mention with a boundary: another phase or precision, results
  /// that a loop keeps.
  struct Circumstance {
    std::string name;
    schedule::LoweringOptions lowering;
    predict::StepLoop loop;
  };
  /// Verdict and memory for counts.
  struct Judgement {
    predict::MemoryEstimate memory;
    predict::Verdict verdict;
  };

  [[nodiscard]] analyze::FitResult head() const;
  [[nodiscard]] Judgement judged(const schedule::Schedule& schedule,
                                 predict::StepLoop loop = {}) const;
  /// Judgement of counts, which is remembered because searches for several verdicts need equal
  /// counts.
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
