#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "rooflab/predict/limit.hpp"
#include "rooflab/task/fit.hpp"
#include "size_loader.hpp"

namespace rooflab::task {

/// Values of the counts that `fit` varies, in the order of their names.
using FitCounts = std::span<const std::int64_t>;

/// The network of a request for any counts.
class FitNetwork {
 public:
  explicit FitNetwork(const FitRequest& request);

  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }
  [[nodiscard]] std::span<const predict::CountRange> ranges() const { return ranges_; }
  /// Smallest counts; for batch and context the values at which the other one is varied.
  [[nodiscard]] const std::vector<std::int64_t>& least() const { return least_; }
  /// Whether batch and context of a recorded step are varied: unlike layers they do not grow
  /// together.
  [[nodiscard]] bool varies_size() const;

  [[nodiscard]] LoadedModel load(FitCounts counts) const;
  [[nodiscard]] schedule::Schedule schedule_of(FitCounts counts) const;

  /// Finds the frontier at which `holds` ends, starting at an expected frontier if there is one.
  [[nodiscard]] std::vector<predict::FrontierPoint> frontier(
      const std::function<bool(FitCounts)>& holds,
      std::span<const predict::FrontierPoint> expected = {},
      std::optional<predict::SearchStart> start = std::nullopt,
      predict::Boundary boundary = predict::Boundary::sharp) const;

  /// Samples of a step with these counts over its time; nullopt: the number of samples follows only
  /// from the input's shape. `recorded`: samples of a network that is not a recording.
  [[nodiscard]] std::optional<double> samples_per_s(FitCounts counts,
                                                    std::optional<std::int64_t> recorded,
                                                    double step_s) const;

 private:
  /// Batch and context at which the other one is varied: the given ones, else the recording's.
  [[nodiscard]] std::vector<std::int64_t> given_size() const;

  const FitRequest& request_;
  mutable BatchLoader loader_;
  std::vector<std::string> names_;
  std::vector<predict::CountRange> ranges_;
  std::vector<std::int64_t> least_;
};

}  // namespace rooflab::task
