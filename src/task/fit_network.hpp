#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "batch_loader.hpp"
#include "rooflab/predict/limit.hpp"
#include "rooflab/task/fit.hpp"

namespace rooflab::task {

/// Values of the counts that `fit` varies, in the order of their names.
using FitCounts = std::span<const std::int64_t>;

/// The network of a request in any counts.
class FitNetwork {
 public:
  explicit FitNetwork(const FitRequest& request);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::span<const predict::CountRange> ranges() const { return ranges_; }
  /// The least counts; those at which the other is varied, where batch and context are.
  [[nodiscard]] const std::vector<std::int64_t>& least() const { return least_; }
  /// Batch and context of a recorded step: they do not grow together, as layers do.
  [[nodiscard]] bool varies_size() const;

  [[nodiscard]] LoadedModel load(FitCounts counts) const;
  [[nodiscard]] schedule::Schedule schedule_of(FitCounts counts) const;

  /// Where `holds` ends, with a beginning for each search where a frontier is expected.
  [[nodiscard]] std::vector<predict::FrontierPoint> frontier(
      const std::function<bool(FitCounts)>& holds,
      std::span<const predict::FrontierPoint> expected = {},
      std::optional<predict::SearchStart> start = std::nullopt,
      predict::Boundary boundary = predict::Boundary::sharp) const;

  /// Samples of a step in these counts over its time; nullopt: only the input's shape says how many
  /// there are. `recorded`: samples of a network that is not a recording.
  [[nodiscard]] std::optional<double> samples_per_s(FitCounts counts,
                                                    std::optional<std::int64_t> recorded,
                                                    double step_s) const;

 private:
  /// The batch and the context that the other is varied at: those given, else the recording's.
  [[nodiscard]] std::vector<std::int64_t> given_size() const;

  const FitRequest& request_;
  mutable BatchLoader loader_;
  std::vector<std::string> names_;
  std::vector<predict::CountRange> ranges_;
  std::vector<std::int64_t> least_;
};

}  // namespace rooflab::task
