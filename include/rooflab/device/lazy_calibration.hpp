#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "rooflab/device/calibration.hpp"

namespace rooflab::device {

/// One kind of op in a calibration: `conv2d.forward.tf32.nchw`.
struct CalibratedKind {
  std::string name;
  bool fitted = false;     ///< a curve is fitted to its rows, so that it can predict
  bool published = false;  ///< its rows were published; else `rooflab probe` measured them

  bool operator==(const CalibratedKind&) const = default;
};

/// What is known about a calibration before its tables are read.
struct CalibrationEntry {
  std::string id;
  std::string device;  ///< id of the device in the catalog; empty: none fits
  std::string device_name;
  std::string date;                   ///< date of its environment; empty: not stated
  std::vector<std::string> figures;   ///< names
  std::vector<CalibratedKind> kinds;  ///< kinds of its op tables, sorted by name
  std::vector<std::string> issuers;   ///< issuers of its host costs

  bool operator==(const CalibrationEntry&) const = default;
};

[[nodiscard]] CalibrationEntry entry_of(const Calibration& calibration);

/// A calibration that is read once, when it is first needed. Copies share what was read; several
/// threads may read.
///
///     for (const LazyCalibration& each : built_in_calibrations()) {
///       if (each.entry().device == "h200-sxm") use(*each.read());
///     }
class LazyCalibration {
 public:
  /// `reader` makes the calibration that `entry` describes.
  LazyCalibration(CalibrationEntry entry, std::function<Calibration()> reader);
  /// One that is there already.
  explicit LazyCalibration(Calibration calibration);

  [[nodiscard]] const CalibrationEntry& entry() const;
  /// The whole calibration. Throws what the reader throws.
  [[nodiscard]] std::shared_ptr<const Calibration> read() const;
  [[nodiscard]] bool is_read() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// The calibrations compiled into the program (data/calibrations), in the order of their files.
/// The first call takes a fraction of a millisecond: it reads the entries only. Throws Error
/// (capability), here or in read(), when the program file is damaged.
[[nodiscard]] const std::vector<LazyCalibration>& built_in_calibrations();

}  // namespace rooflab::device
