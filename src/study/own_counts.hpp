#pragma once

#include <map>
#include <optional>
#include <string>

#include "finding_context.hpp"

namespace rooflab::study {

/// How much of a network a count covers.
struct CountWindow {
  bool training = false;  ///< forward, backward and optimizer; else the forward pass
  double images = 1.0;
  bool macs = false;  ///< 1 for each multiply-accumulate instead of 2

  /// `one forward pass of 256 images`, `..., in MACs`.
  [[nodiscard]] std::string text() const;
};

/// From matrix work alone to all work: tools differ in what they count beside the matrix products.
struct CountRange {
  double low = 0.0;
  double high = 0.0;

  /// Inside, or off by `tolerance` of the nearer end at most.
  [[nodiscard]] bool holds(double value, double tolerance) const;
  /// The value over the nearer end; 1 inside.
  [[nodiscard]] double ratio(double value) const;
};

/// Our counts of a network, from all our cases of it (own_cases_of), for any number of images.
/// FLOPs of matrix work and of the forward pass go with the images; the optimizer's do not, and a
/// range that is scaled from another batch takes them along at its upper end.
class OwnCounts {
 public:
  OwnCounts(const FindingContext& context, const CaseKey& row);

  /// nullopt: no case of ours tells it.
  [[nodiscard]] std::optional<CountRange> range(const CountWindow& window) const;
  /// FLOPs of the backward pass in matrix work: the step's without the forward pass's.
  [[nodiscard]] std::optional<double> backward_matrix(double images) const;
  /// Matrix FLOPs of one forward pass of one image.
  [[nodiscard]] std::optional<double> forward_matrix() const { return forward_matrix_; }
  [[nodiscard]] std::optional<double> parameters() const { return parameters_; }
  /// Batches of our cases.
  [[nodiscard]] const std::map<double, int>& batches() const { return batches_; }

 private:
  void add(const OwnCase& own);

  std::optional<double> parameters_;
  std::optional<double> forward_matrix_;      // an image
  std::optional<double> forward_vector_;      // an image, the most of what phases have
  std::optional<double> training_matrix_;     // an image
  std::map<double, double> training_vector_;  // by batch
  std::map<double, int> batches_;
};

}  // namespace rooflab::study
