#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compared_rows.hpp"

namespace rooflab::study {

/// Part of a network that a count covers.
struct CountWindow {
  bool training = false;  ///< forward, backward and optimizer; else the forward pass
  double images = 1.0;
  bool macs = false;  ///< 1 per multiply-accumulate instead of 2

  /// Text such as `one forward pass of 256 images`, `..., in MACs`.
  [[nodiscard]] std::string text() const;
};

/// Range from matrix work alone to all work, because tools differ in what they count in addition to
/// matrix products.
struct CountRange {
  double low = 0.0;
  double high = 0.0;

  /// Whether a value is inside the range, or off by at most `tolerance` of the nearer end.
  [[nodiscard]] bool holds(double value, double tolerance) const;
  /// Value over the nearer end; 1 inside.
  [[nodiscard]] double ratio(double value) const;
};

/// Our counts of a network, from all our cases of it (own_cases_of), for any number of images.
/// FLOPs of matrix work and of the forward pass are proportional to the images; those of the
/// optimizer are not, and a range that is scaled from another batch includes them at its upper end.
class OwnCounts {
 public:
  OwnCounts(const ComparedRows& context, const CaseKey& row);

  /// Our counts for a window; nullopt: no case of ours has them.
  [[nodiscard]] std::optional<CountRange> range(const CountWindow& window) const;
  /// FLOPs of matrix work in the backward pass: of the step minus the forward pass.
  [[nodiscard]] std::optional<double> backward_matrix(double images) const;
  /// Matrix FLOPs of one forward pass of one image.
  [[nodiscard]] std::optional<double> forward_matrix() const { return forward_matrix_; }
  [[nodiscard]] std::optional<double> parameters() const { return parameters_; }
  /// Batches of our cases.
  [[nodiscard]] const std::map<double, int>& batches() const { return batches_; }

 private:
  void add(const OwnCase& own);

  std::optional<double> parameters_;
  std::optional<double> forward_matrix_;      // per image
  std::optional<double> forward_vector_;      // per image, the largest of all phases
  std::optional<double> training_matrix_;     // per image
  std::map<double, double> training_vector_;  // by batch
  std::map<double, int> batches_;
};

/// Interpretation of a published count by our counts of the network.
struct CountReading {
  std::string quantity;
  double value = 0.0;
  bool agrees = false;                ///< equals our count for exactly the stated case
  bool is_first_layer = false;        ///< includes the unneeded data gradient of the first layer
  std::optional<CountWindow> window;  ///< nullopt: no tried rule gives it
  double multiple = 1.0;              ///< number of windows
  /// Number of statements of the row or the quantity's name that do not hold.
  int departures = 0;
  /// Window that a hardware count without a matching rule would have in MACs. Counters count FLOPs,
  /// so this alone explains nothing.
  std::optional<CountWindow> as_macs{};
  CountWindow nearest;  ///< window that it is compared with if no rule gives it
  double ratio = 1.0;   ///< ratio to `nearest`
};

/// Interprets `macs`, `flops`, `estimated_flops`, `counted_flops`, `forward_flops` of the row, as
/// far as our counts allow.
[[nodiscard]] std::vector<CountReading> readings_of_counts(const PublishedCase& published,
                                                           const OwnCounts& own);

/// Tolerance that distinguishes three forward passes from a step without the first layer's data
/// gradient, which differ by 2 to 4 %.
inline constexpr double exact_tolerance = 0.005;

/// Largest relative difference of a count from a matching window.
[[nodiscard]] double tolerance_of(std::string_view quantity);

}  // namespace rooflab::study
