#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/device/calibration.hpp"
#include "rooflab/predict/op_model.hpp"
#include "rooflab/predict/op_shape.hpp"

namespace rooflab::predict {

/// How a time was come by, from the surest to the least sure.
enum class TimeSource {
  measured_kind,  ///< the device's own measurements of ops of this kind
  other_kind,  ///< of a neighbouring kind: another type or layout, or another elementwise function
  roofline,    ///< no measurement is near: the limit over a typical efficiency
};
[[nodiscard]] std::string_view name_of(TimeSource source);

/// The time of one op on a device.
struct OpEstimate {
  double time_s = 0.0;
  double deviation = 0.0;  ///< sd of log(time)
  TimeSource source = TimeSource::roofline;
  std::string kind;  ///< whose measurements were used
};

/// Times of single ops on a device from a calibration: the device's own, or that of its nearest
/// relative carried over by the two datasheets. The essay is at the head of time_model.cpp.
class TimeModel {
 public:
  /// `source` is the catalog's description of the device that was calibrated, `target` of the one
  /// that is asked about; the same device for a calibration of its own.
  TimeModel(std::shared_ptr<const device::Calibration> calibration, device::Device source,
            device::Device target);
  ~TimeModel();
  TimeModel(TimeModel&&) noexcept;
  TimeModel& operator=(TimeModel&&) noexcept;

  [[nodiscard]] OpEstimate estimate(const OpShape& shape) const;

  /// Bytes of workspace of an op: what to expect, and the most to reckon with. nullopt: nothing
  /// was observed for such ops.
  using Workspace = OpModel::Workspace;
  [[nodiscard]] std::optional<Workspace> workspace(const OpShape& shape) const;

  [[nodiscard]] bool carried() const { return source_.id != target_.id; }
  /// sd of the logarithm of what all times of a carried device have in common; 0 for its own.
  [[nodiscard]] double carried_deviation() const;
  [[nodiscard]] const device::Calibration& calibration() const { return *calibration_; }
  [[nodiscard]] const device::Device& source() const { return source_; }
  [[nodiscard]] const device::Device& target() const { return target_; }

 private:
  struct Found {
    const OpModel* model = nullptr;
    std::string kind;
    OpShape shape;  ///< the question as that table understands it
    double factor = 1.0;
    double extra_deviation = 0.0;
  };
  [[nodiscard]] const OpModel* model(const std::string& kind) const;
  [[nodiscard]] Found find(const OpShape& shape) const;
  [[nodiscard]] OpEstimate estimate_on_source(const OpShape& shape, const Found& found) const;
  [[nodiscard]] OpEstimate carried_over(const OpShape& shape) const;
  [[nodiscard]] OpEstimate winograd(const OpShape& shape) const;
  /// Seconds at the datasheet's peaks.
  [[nodiscard]] double limit(const OpShape& shape, const device::Device& device) const;

  std::shared_ptr<const device::Calibration> calibration_;
  device::Device source_;
  device::Device target_;
  mutable std::map<std::string, std::unique_ptr<OpModel>, std::less<>> models_;
};

/// The calibrated device that `target` is best predicted from: itself, else the same architecture,
/// else the nearest compute capability that has the target's kinds of units. nullopt when there is
/// no calibration at all.
struct Relative {
  std::shared_ptr<const device::Calibration> calibration;
  device::Device device;
  bool same = false;  ///< the device itself
  bool same_architecture = false;
};
[[nodiscard]] std::optional<Relative> nearest_relative(
    const device::Device& target,
    const std::vector<std::shared_ptr<const device::Calibration>>& calibrations,
    const std::map<std::string, device::Device>& devices);

}  // namespace rooflab::predict
