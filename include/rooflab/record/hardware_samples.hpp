#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "rooflab/base/enum_names.hpp"

namespace rooflab::record {

/// Means over a window, of NVML's GPU performance monitoring (GPM): shares of the peak of the whole
/// chip. Absent where NVML does not report them.
struct GpmShares {
  std::optional<double> bandwidth_share = {};  ///< DRAM's
  std::optional<double> tensor_share = {};
  std::optional<double> fp32_share = {};
  std::optional<double> fp64_share = {};
  std::optional<double> fp16_share = {};
  std::optional<double> warps_share = {};
  std::optional<double> sm_share = {};
};

/// All figures, in the order of a profile's line.
using GpmFigure = std::optional<double> GpmShares::*;
inline constexpr std::array<GpmFigure, 7> gpm_figures = {
    &GpmShares::bandwidth_share, &GpmShares::tensor_share, &GpmShares::fp32_share,
    &GpmShares::fp64_share,      &GpmShares::fp16_share,   &GpmShares::warps_share,
    &GpmShares::sm_share};

/// Hardware counters of everything that ran on a device, in short consecutive spans of time.
/// Columns have a row for each sample; a column without samples is empty. docs/methods/counters.md
/// describes the sampling.
struct HardwareSamples {
  using Column = std::vector<std::optional<double>>;

  std::string chip = {};                  ///< CUPTI's name: `GH100`
  double interval_s = 0.0;                ///< requested length of a sample
  std::vector<std::string> metrics = {};  ///< full names
  double window_s = 0.0;                  ///< length of the window, by the host's clock
  std::optional<GpmShares> gpm = {};      ///< means over the last window
  std::vector<double> start_s = {};       ///< rising, since the first sample, by the device's clock
  std::vector<double> length_s = {};      ///< above 0
  Column read_bytes = {};                 ///< DRAM's
  Column write_bytes = {};
  // Shares of the peak of the whole chip in the sample's time; idle multiprocessors count as 0.
  Column tensor_share = {};
  Column fp32_share = {};
  Column fp64_share = {};
  Column fp16_share = {};
  Column warps_share = {};
  Column sm_share = {};

  [[nodiscard]] std::size_t size() const { return start_s.size(); }
};

/// Totals of all samples: sums of bytes, means weighted by time. A figure covers the samples that
/// have it; absent where none has.
struct SampleTotals {
  double window_s = 0.0;
  double sampled_s = 0.0;  ///< total length of all samples
  /// Part of the window that samples cover, at most 1; absent where the window's time is not known.
  std::optional<double> sampled_share = {};
  std::size_t samples = 0;
  std::optional<double> read_bytes = {};
  std::optional<double> write_bytes = {};
  std::optional<double> read_bytes_per_s = {};  ///< over the time of the samples that have it
  std::optional<double> write_bytes_per_s = {};
  std::optional<double> bytes_per_s = {};  ///< reads and writes
  std::optional<double> tensor_share = {};
  std::optional<double> fp32_share = {};
  std::optional<double> fp64_share = {};
  std::optional<double> fp16_share = {};
  std::optional<double> warps_share = {};
  std::optional<double> sm_share = {};
};

/// A figure of samples: its column, its total, and whether samples add up or average.
struct SampleFigure {
  HardwareSamples::Column HardwareSamples::*column = {};
  std::optional<double> SampleTotals::*total = {};
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

/// Merges neighbouring samples into about `most` samples, with their sums and means. Neighbours
/// with a gap between them are not merged, so that there may be more.
[[nodiscard]] HardwareSamples condensed(HardwareSamples samples, std::size_t most);

[[nodiscard]] std::span<const Field> fields_of(For<GpmShares>);
[[nodiscard]] std::span<const Field> fields_of(For<HardwareSamples>);
[[nodiscard]] std::span<const Field> fields_of(For<SampleTotals>);

}  // namespace rooflab::record
