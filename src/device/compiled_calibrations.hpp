#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/error.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::device {

/// Compiles calibrations to bytes that need no parsing; each one can be found and read without the
/// others.
///
/// A head of four numbers of eight bytes, lowest byte first: the mark `rooflcal`, the version of
/// this layout, the size of the index and its checksum. The index: entries, with the size and the
/// checksum of each calibration. The calibrations, in the order of the index, without gaps. Index
/// and calibrations are written by a CompactWriter, checksums are FNV-1a.
[[nodiscard]] std::string compile(const std::vector<Calibration>& calibrations);

/// Reads the bytes that compile() made. Throws Error (capability) for other bytes; errors in one
/// calibration are found when it is read.
class CompiledCalibrations {
 public:
  /// Reads the index of `bytes`, which must outlive this.
  explicit CompiledCalibrations(std::string_view bytes);

  [[nodiscard]] const std::vector<CalibrationEntry>& entries() const { return entries_; }
  /// Reads the calibration of `entries()[index]`.
  [[nodiscard]] Calibration read(std::size_t index) const;

 private:
  struct Section {
    std::string_view bytes;
    std::uint64_t checksum = 0;
  };

  std::vector<CalibrationEntry> entries_;
  std::vector<Section> sections_;  ///< sections of the entries
};

/// Error (capability) for compiled calibrations that compile() did not make.
[[nodiscard]] Error damaged_calibrations(std::string_view how);

}  // namespace rooflab::device
