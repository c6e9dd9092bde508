#pragma once

#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>

#include "rooflab/device/calibration.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::predict {

/// Returns the op in the other 16-bit type, or unchanged if its type has 32 bits or more.
[[nodiscard]] OpShape other_half(OpShape shape);

/// Times of single ops on the device that a calibration was measured on. If the kind of an op was
/// not measured, the nearest measured kind is used with a wider deviation: the other half-precision
/// type, FP32 for TF32 where a kernel has no TF32, the other memory layout, or the plain
/// elementwise op with as many bytes. Threads may share a model.
class SourceModel {
 public:
  SourceModel(device::LazyCalibration calibration, device::Device device);

  /// A kind of this calibration that is used for an op.
  struct Found {
    const OpModel* model = nullptr;
    std::string kind;
    OpShape shape;                 ///< the op in terms of that kind's table
    double factor = 1.0;           ///< time of the op over time of `shape`
    double extra_deviation = 0.0;  ///< sd of log(time) added by using another kind
    /// For an op outside the sizes of published rows: its time over that of `shape`, the nearest
    /// size inside, both at the device's rates.
    double beyond = 1.0;

    [[nodiscard]] double floor() const { return model->floor() * factor; }
    [[nodiscard]] OpModel::Estimate estimate() const;
  };
  /// Exactly the kind of the op; nullopt: not measured.
  [[nodiscard]] std::optional<Found> own(const OpShape& shape) const;
  /// Whether `rooflab probe` measured exactly the kind of the op.
  [[nodiscard]] bool has_probed(const OpShape& shape) const;
  /// The nearest measured kind (of both 16-bit types the one with more rows), for devices other
  /// than the source; nullopt: none is near.
  [[nodiscard]] std::optional<Found> nearest(const OpShape& shape) const;

  /// The calibration, which is read at the first call.
  [[nodiscard]] const device::Calibration& calibration() const { return *calibration_.read(); }
  [[nodiscard]] const device::CalibrationEntry& entry() const { return calibration_.entry(); }
  [[nodiscard]] const device::Device& device() const { return device_; }
  /// Title of the publication of a measured kind's rows; empty: measured by `rooflab probe`.
  [[nodiscard]] std::string origin_of(const std::string& kind) const;

 private:
  [[nodiscard]] const device::CalibratedKind* listed(const std::string& kind) const;
  [[nodiscard]] std::size_t rows_of(const std::string& kind) const;
  [[nodiscard]] const OpModel* model(const std::string& kind) const;
  [[nodiscard]] std::optional<Found> attempt(OpShape asked, double factor, double extra) const;
  [[nodiscard]] std::optional<Found> without_group(const OpShape& shape) const;
  [[nodiscard]] std::optional<Found> in_other_type(const OpShape& shape) const;
  [[nodiscard]] std::optional<Found> in_other_layout(const OpShape& shape) const;

  device::LazyCalibration calibration_;
  device::Device device_;
  mutable std::shared_mutex mutex_;  ///< guards models_
  /// Models of the kinds that were asked for, of those that the calibration lists.
  mutable std::map<std::string, std::unique_ptr<const OpModel>, std::less<>> models_;
};

}  // namespace rooflab::predict
