#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"

namespace rooflab::record {

/// Means over a window, of NVML's GPU performance monitoring (GPM): shares of what the whole chip
/// can do. Absent where NVML does not tell.
struct GpmShares {
  std::optional<double> bandwidth_share;  ///< DRAM's
  std::optional<double> tensor_share;
  std::optional<double> fp32_share;
  std::optional<double> fp64_share;
  std::optional<double> fp16_share;
  std::optional<double> warps_share;
  std::optional<double> sm_share;
};

/// All of them, in the order of a profile's line.
using GpmFigure = std::optional<double> GpmShares::*;
inline constexpr std::array<GpmFigure, 7> gpm_figures = {
    &GpmShares::bandwidth_share, &GpmShares::tensor_share, &GpmShares::fp32_share,
    &GpmShares::fp64_share,      &GpmShares::fp16_share,   &GpmShares::warps_share,
    &GpmShares::sm_share};

/// What the hardware counted in short spans of time, one after the other, of all that ran on a
/// device. Columns have a row for each sample; a column is empty where nothing was sampled for it.
/// docs/methods/counters.md says how samples are taken.
struct HardwareSamples {
  using Column = std::vector<std::optional<double>>;

  std::string chip;                  ///< CUPTI's name: `GH100`
  double interval_s = 0.0;           ///< length of a sample that was asked for
  std::vector<std::string> metrics;  ///< full names
  double window_s = 0.0;             ///< how long the window was open, by the host's clock
  std::optional<GpmShares> gpm;      ///< means over the last window
  std::vector<double> start_s;       ///< rising, since the first sample, by the device's clock
  std::vector<double> length_s;      ///< above 0
  Column read_bytes;                 ///< DRAM's
  Column write_bytes;
  // Shares of what the whole chip can do in the sample's time; idle multiprocessors count as 0.
  Column tensor_share;
  Column fp32_share;
  Column fp64_share;
  Column fp16_share;
  Column warps_share;
  Column sm_share;

  [[nodiscard]] std::size_t size() const { return start_s.size(); }
};

/// The same of all samples: sums of bytes, means weighted by time. A figure is of the samples that
/// have it; absent where none has.
struct SampleTotals {
  double window_s = 0.0;
  double sampled_s = 0.0;  ///< lengths of all samples
  /// Part of the window that samples cover, at most 1; absent where the window's time is not known.
  std::optional<double> sampled_share;
  std::size_t samples = 0;
  std::optional<double> read_bytes;
  std::optional<double> write_bytes;
  std::optional<double> read_bytes_per_s;  ///< over the time of the samples that have it
  std::optional<double> write_bytes_per_s;
  std::optional<double> bytes_per_s;  ///< both
  std::optional<double> tensor_share;
  std::optional<double> fp32_share;
  std::optional<double> fp64_share;
  std::optional<double> fp16_share;
  std::optional<double> warps_share;
  std::optional<double> sm_share;
};

/// A figure of samples: its column, its total, and whether samples add up or average.
struct SampleFigure {
  HardwareSamples::Column HardwareSamples::*column;
  std::optional<double> SampleTotals::*total;
  bool adds_up = false;
};
inline constexpr std::array<SampleFigure, 8> sample_figures = {{
    {&HardwareSamples::read_bytes, &SampleTotals::read_bytes, true},
    {&HardwareSamples::write_bytes, &SampleTotals::write_bytes, true},
    {&HardwareSamples::tensor_share, &SampleTotals::tensor_share},
    {&HardwareSamples::fp32_share, &SampleTotals::fp32_share},
    {&HardwareSamples::fp64_share, &SampleTotals::fp64_share},
    {&HardwareSamples::fp16_share, &SampleTotals::fp16_share},
    {&HardwareSamples::warps_share, &SampleTotals::warps_share},
    {&HardwareSamples::sm_share, &SampleTotals::sm_share},
}};

[[nodiscard]] SampleTotals totals_of(const HardwareSamples& samples);

/// At most about `most` samples: as many neighbours as needed become one, with their sums and
/// means. Neighbours with a gap between them stay apart, so that there may be more.
[[nodiscard]] HardwareSamples condensed(HardwareSamples samples, std::size_t most);

[[nodiscard]] std::span<const Field> fields_of(For<GpmShares>);
[[nodiscard]] std::span<const Field> fields_of(For<HardwareSamples>);
[[nodiscard]] std::span<const Field> fields_of(For<SampleTotals>);

}  // namespace rooflab::record
