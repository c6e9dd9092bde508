#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

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

/// What a published count is, by our counts of the network.
struct CountReading {
  std::string quantity;
  double value = 0.0;
  bool agrees = false;                ///< with our count of the very case that the row states
  bool is_first_layer = false;        ///< a data gradient more than needed: that of the first layer
  std::optional<CountWindow> window;  ///< nullopt: no rule that was tried gives it
  double multiple = 1.0;              ///< how many times the window
  /// How many of the things that the row or the quantity's name state are otherwise.
  int departures = 0;
  /// What a hardware count that no rule gives would be in MACs. Counters count FLOPs, so that this
  /// alone explains nothing.
  std::optional<CountWindow> as_macs{};
  CountWindow nearest;  ///< what it was held against when no rule gives it
  double ratio = 1.0;   ///< to that
};

/// Reads `macs`, `flops`, `estimated_flops`, `counted_flops`, `forward_flops` of the row; nothing
/// of what our counts cannot tell.
[[nodiscard]] std::vector<CountReading> readings_of_counts(const PublishedCase& published,
                                                           const OwnCounts& own);

/// Tells three forward passes from a step without the first layer's data gradient, which are 2 to
/// 4 % apart.
inline constexpr double exact_tolerance = 0.005;

/// How near a count must come to a window to be taken for it.
[[nodiscard]] double tolerance_of(std::string_view quantity);

}  // namespace rooflab::study
