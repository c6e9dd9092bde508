#pragma once

#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "op_description.hpp"
#include "published_ops.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::probe {

/// Published times of a kind over those that the reference device's own calibration predicts for
/// the same shapes. The essay is in reference_factor.cpp.
class ReferenceFactor {
 public:
  /// `table`: the reference's own fitted table of that kind; `rows`: published rows of this device,
  /// at least one.
  ReferenceFactor(const OpRule& rule, const device::OpTable& table, double multiprocessors,
                  std::span<const PublishedRow> rows);

  [[nodiscard]] std::size_t rows() const { return count_; }
  [[nodiscard]] double median() const;
  /// Standard deviation of log(ratio) around the factor, or around 1 where it is not applied.
  [[nodiscard]] double spread() const { return spread_; }
  /// Whether the factor is applied: it differs from 1 by more than its spread, or depends on a
  /// size.
  [[nodiscard]] bool applied() const { return applied_; }
  /// Constant by which the reference's short ops take longer than published; may be negative.
  [[nodiscard]] double offset_s() const { return offset_s_; }
  /// Converts a published time to the time that the reference's probe would have measured.
  [[nodiscard]] double converted(double time_s, std::span<const double> sizes) const;

 private:
  [[nodiscard]] double log_at(std::span<const double> sizes) const;

  std::optional<std::size_t> by_;  ///< index of the size
  std::map<int, double> bins_;     ///< log of the factor by floor(log2(size))
  std::size_t count_ = 0;
  double offset_s_ = 0.0;
  double log_median_ = 0.0;
  double spread_ = 0.0;
  bool applied_ = false;
};

}  // namespace rooflab::probe
