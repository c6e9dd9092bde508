#pragma once

#include <cstdint>
#include <vector>

#include "tensors.hpp"

namespace rooflab::torch_worker {

/// Sums a network's results on labelled images on the device: adding does not wait, reading does.
class ScoreSums {
 public:
  /// `classes`: number of the data's classes; further scores are not predictions. `confusion`: keep
  /// the table.
  ScoreSums(std::int64_t classes, const at::Device& device, bool confusion = false);

  /// Adds the first `count` of `scores` [N, C] and `labels` [N], with their cross-entropy.
  void add(const at::Tensor& scores, const at::Tensor& labels, std::int64_t count);
  /// Adds the first `count` of `scores` [N, C] and `labels` [N], with a mean loss that was computed
  /// before.
  void add(const at::Tensor& scores, const at::Tensor& labels, std::int64_t count,
           const at::Tensor& mean_loss);

  /// Replaces the sums.
  void restore(double loss, std::int64_t correct, std::int64_t images);

  [[nodiscard]] std::int64_t images() const { return images_; }
  [[nodiscard]] double loss() const;           ///< summed over images; waits for the device
  [[nodiscard]] std::int64_t correct() const;  ///< waits for the device
  /// Confusion table [label][prediction]; waits for the device.
  [[nodiscard]] std::vector<std::vector<std::int64_t>> confusion() const;

  [[nodiscard]] double mean_loss() const;  ///< 0 without images
  [[nodiscard]] double accuracy() const;

 private:
  std::int64_t classes_;
  std::int64_t images_ = 0;
  at::Tensor loss_;       ///< f64
  at::Tensor correct_;    ///< i64
  at::Tensor confusion_;  ///< i64, flat; undefined: not kept
};

}  // namespace rooflab::torch_worker
