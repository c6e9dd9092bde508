#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/error.hpp"
#include "rooflab/device/calibration.hpp"

namespace rooflab::device {

/// Calibrations as bytes that need no parsing, each found and read without the others.
///
/// A head of four numbers of eight bytes, lowest byte first: the mark `rooflcal`, the version of
/// this layout, the size of the index and its checksum. The index: entries, with the size and the
/// checksum of each calibration. The calibrations, in the order of the index, without gaps. Index
/// and calibrations are written by a CompactWriter, checksums are FNV-1a.
[[nodiscard]] std::string compile(const std::vector<Calibration>& calibrations);

/// Reads what compile() made. Throws Error (capability) for other bytes; what is wrong with one
/// calibration is found when it is read.
class CompiledCalibrations {
 public:
  /// `bytes` must outlive this.
  explicit CompiledCalibrations(std::string_view bytes);

  [[nodiscard]] const std::vector<CalibrationEntry>& entries() const { return entries_; }
  /// The calibration of `entries()[index]`.
  [[nodiscard]] Calibration read(std::size_t index) const;

 private:
  struct Section {
    std::string_view bytes;
    std::uint64_t checksum = 0;
  };

  std::vector<CalibrationEntry> entries_;
  std::vector<Section> sections_;  ///< sections of the entries
};

/// The Error (capability) for compiled calibrations that are not what compile() made.
[[nodiscard]] Error damaged_calibrations(std::string_view how);

}  // namespace rooflab::device
