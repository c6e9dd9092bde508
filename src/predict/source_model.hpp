#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "rooflab/device/calibration.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::predict {

/// The op in the other 16-bit type; the op itself where its type has 32 bits or more.
[[nodiscard]] OpShape other_half(OpShape shape);

/// Times of single ops on the device that a calibration was measured on. Where the kind of an op
/// was not measured, the nearest kind that was: the other half-precision type, FP32 for TF32 where
/// a kernel knows no TF32, the other memory layout, the plain elementwise op of as many bytes; each
/// with a wider deviation.
class SourceModel {
 public:
  SourceModel(device::LazyCalibration calibration, device::Device device);

  /// A kind of this calibration that answers for an op.
  struct Found {
    const OpModel* model = nullptr;
    std::string kind;
    OpShape shape;                 ///< the op as that kind's table has it
    double factor = 1.0;           ///< time of the op over time of `shape`
    double extra_deviation = 0.0;  ///< sd of log(time) that the borrowing adds
    /// The time of an op beyond the sizes of published rows over that of `shape`, the nearest
    /// among them, both at the device's rates.
    double beyond = 1.0;

    [[nodiscard]] double floor() const { return model->floor() * factor; }
    [[nodiscard]] OpModel::Estimate estimate() const;
  };
  /// The very kind of the op; nullopt: it was not measured.
  [[nodiscard]] std::optional<Found> own(const OpShape& shape) const;
  /// `rooflab probe` measured the very kind of the op.
  [[nodiscard]] bool has_probed(const OpShape& shape) const;
  /// The nearest kind that was measured, of both 16-bit types the one with more rows; nullopt:
  /// nothing is near. For other devices than the source's own.
  [[nodiscard]] std::optional<Found> nearest(const OpShape& shape) const;

  /// Reads the calibration when it is first asked for.
  [[nodiscard]] const device::Calibration& calibration() const { return *calibration_.read(); }
  [[nodiscard]] const device::CalibrationEntry& entry() const { return calibration_.entry(); }
  [[nodiscard]] const device::Device& device() const { return device_; }
  /// Title of the publication of a measured kind's rows; empty: `rooflab probe` made them.
  [[nodiscard]] std::string origin_of(const std::string& kind) const;

 private:
  [[nodiscard]] const device::CalibratedKind* listed(const std::string& kind) const;
  [[nodiscard]] std::size_t rows_of(const std::string& kind) const;
  [[nodiscard]] const OpModel* model(const std::string& kind) const;
  [[nodiscard]] std::optional<Found> attempt(OpShape asked, double factor, double extra) const;
  [[nodiscard]] std::optional<Found> without_group(const OpShape& shape) const;

  device::LazyCalibration calibration_;
  device::Device device_;
  mutable std::map<std::string, std::unique_ptr<OpModel>, std::less<>> models_;
};

}  // namespace rooflab::predict
