// Totals of samples i with the lengths t_i, over the samples that have the figure:
//
//   bytes  B = sum b_i           bandwidth  sum b_i / sum t_i
//   share  sum s_i t_i / sum t_i
//
// The bandwidth of both directions is over the samples that have both. Gaps count in no sum; the
// part of the window that samples cover is sum t_i / window, at most 1: the samples' clock is the
// device's, the window's is the host's.

#include "rooflab/record/hardware_samples.hpp"

#include <algorithm>
#include <utility>

#include "describe/field_table.hpp"

namespace rooflab::record {
namespace {

/// Sums over a run of samples.
class SampleSum {
 public:
  void add(std::optional<double> value, double length_s, bool adds_up) {
    if (!value) return;
    sum_ += adds_up ? *value : *value * length_s;
    time_s_ += length_s;
  }
  [[nodiscard]] std::optional<double> sum() const {
    return time_s_ > 0.0 ? std::optional(sum_) : std::nullopt;
  }
  [[nodiscard]] std::optional<double> over_time() const {
    return time_s_ > 0.0 ? std::optional(sum_ / time_s_) : std::nullopt;
  }

 private:
  double sum_ = 0.0;
  double time_s_ = 0.0;
};

std::optional<double> per_second(const HardwareSamples& samples,
                                 const HardwareSamples::Column& column) {
  SampleSum sum;
  for (std::size_t i = 0; i < column.size(); ++i) sum.add(column[i], samples.length_s[i], true);
  return sum.over_time();
}

std::optional<double> both_per_second(const HardwareSamples& samples) {
  SampleSum sum;
  for (std::size_t i = 0; i < samples.read_bytes.size() && i < samples.write_bytes.size(); ++i) {
    const auto& read = samples.read_bytes[i];
    const auto& write = samples.write_bytes[i];
    if (read && write) sum.add(*read + *write, samples.length_s[i], true);
  }
  return sum.over_time();
}

bool gap_behind(const HardwareSamples& samples, std::size_t i) {
  constexpr double tolerance = 0.5;  // of the shorter neighbour
  const double end = samples.start_s[i] + samples.length_s[i];
  const double shorter_s = std::min(samples.length_s[i], samples.length_s[i + 1]);
  return samples.start_s[i + 1] - end > tolerance * shorter_s;
}

}  // namespace

SampleTotals totals_of(const HardwareSamples& samples) {
  SampleTotals totals;
  totals.window_s = samples.window_s;
  totals.samples = samples.size();
  for (const double length_s : samples.length_s) totals.sampled_s += length_s;
  if (samples.window_s > 0.0) {
    totals.sampled_share = std::min(1.0, totals.sampled_s / samples.window_s);
  }
  for (const SampleFigure& figure : sample_figures) {
    const HardwareSamples::Column& column = samples.*figure.column;
    SampleSum sum;
    for (std::size_t i = 0; i < column.size(); ++i) {
      sum.add(column[i], samples.length_s[i], figure.adds_up);
    }
    totals.*figure.total = figure.adds_up ? sum.sum() : sum.over_time();
  }
  totals.read_bytes_per_s = per_second(samples, samples.read_bytes);
  totals.write_bytes_per_s = per_second(samples, samples.write_bytes);
  totals.bytes_per_s = both_per_second(samples);
  return totals;
}

HardwareSamples condensed(HardwareSamples samples, std::size_t most) {
  if (samples.size() <= most || most == 0) return samples;
  const std::size_t together = (samples.size() + most - 1) / most;
  HardwareSamples kept = samples;
  kept.start_s.clear();
  kept.length_s.clear();
  for (const SampleFigure& figure : sample_figures) (kept.*figure.column).clear();
  for (std::size_t begin = 0; begin < samples.size();) {
    std::size_t end = begin + 1;
    while (end < samples.size() && end - begin < together && !gap_behind(samples, end - 1)) ++end;
    double length_s = 0.0;
    for (std::size_t i = begin; i < end; ++i) length_s += samples.length_s[i];
    kept.start_s.push_back(samples.start_s[begin]);
    kept.length_s.push_back(length_s);
    for (const SampleFigure& figure : sample_figures) {
      const HardwareSamples::Column& column = samples.*figure.column;
      if (column.empty()) continue;
      SampleSum sum;
      bool whole = true;  // bytes of a part would be taken for those of the whole
      for (std::size_t i = begin; i < end; ++i) {
        sum.add(column[i], samples.length_s[i], figure.adds_up);
        whole = whole && column[i].has_value();
      }
      const std::optional<double> value = figure.adds_up ? sum.sum() : sum.over_time();
      (kept.*figure.column).push_back(whole ? value : std::nullopt);
    }
    begin = end;
  }
  return kept;
}

std::span<const Field> fields_of(For<GpmShares>) {
  static constexpr auto fields = field_table(
      field<&GpmShares::bandwidth_share>(), field<&GpmShares::tensor_share>("tensor_pipe_share"),
      field<&GpmShares::fp32_share>("fp32_pipe_share"),
      field<&GpmShares::fp64_share>("fp64_pipe_share"),
      field<&GpmShares::fp16_share>("fp16_pipe_share"),
      field<&GpmShares::warps_share>("warps_in_flight_share"),
      field<&GpmShares::sm_share>("sm_in_use_share"));
  return fields;
}

std::span<const Field> fields_of(For<HardwareSamples>) {
  static constexpr auto fields =
      field_table(members<&HardwareSamples::chip, &HardwareSamples::interval_s,
                          &HardwareSamples::metrics, &HardwareSamples::window_s>,
                  field<&HardwareSamples::gpm>().sparse(),
                  members<&HardwareSamples::start_s, &HardwareSamples::length_s>,
                  field<&HardwareSamples::read_bytes>("dram_read_bytes"),
                  field<&HardwareSamples::write_bytes>("dram_write_bytes"),
                  field<&HardwareSamples::tensor_share>("tensor_pipe_share"),
                  field<&HardwareSamples::fp32_share>("fp32_pipe_share"),
                  field<&HardwareSamples::fp64_share>("fp64_pipe_share"),
                  field<&HardwareSamples::fp16_share>("fp16_pipe_share"),
                  field<&HardwareSamples::warps_share>("warps_in_flight_share"),
                  field<&HardwareSamples::sm_share>("sm_in_use_share"));
  return fields;
}

std::span<const Field> fields_of(For<SampleTotals>) {
  static constexpr auto fields = field_table(
      members<&SampleTotals::window_s, &SampleTotals::sampled_s, &SampleTotals::sampled_share>,
      field<&SampleTotals::samples>("sample_count"),
      field<&SampleTotals::read_bytes>("dram_read_bytes"),
      field<&SampleTotals::write_bytes>("dram_write_bytes"),
      members<&SampleTotals::read_bytes_per_s, &SampleTotals::write_bytes_per_s,
              &SampleTotals::bytes_per_s>,
      field<&SampleTotals::tensor_share>("tensor_pipe_share"),
      field<&SampleTotals::fp32_share>("fp32_pipe_share"),
      field<&SampleTotals::fp64_share>("fp64_pipe_share"),
      field<&SampleTotals::fp16_share>("fp16_pipe_share"),
      field<&SampleTotals::warps_share>("warps_in_flight_share"),
      field<&SampleTotals::sm_share>("sm_in_use_share"));
  return fields;
}

}  // namespace rooflab::record
