#include "samples_section.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/format.hpp"
#include "chart/time_chart.hpp"
#include "describe/fields.hpp"
#include "page/joined_row.hpp"
#include "page/row_table.hpp"
#include "page_parts.hpp"

namespace rooflab::report {
namespace {

using analyze::ImportedCase;
using record::HardwareSamples;
using record::SampleTotals;

/// The points of a column in the middle of their samples, with a gap where time was not sampled;
/// `per_second`: over the samples' lengths.
std::vector<chart::TimePoint> points_of(const HardwareSamples& samples,
                                        const HardwareSamples::Column& column, bool per_second) {
  constexpr double tolerance = 0.5;  // of the shorter neighbour
  std::vector<chart::TimePoint> points;
  double end_s = 0.0;
  for (std::size_t i = 0; i < column.size(); ++i) {
    const double start_s = samples.start_s[i];
    const double length_s = samples.length_s[i];
    const double shorter_s = std::min(length_s, i == 0 ? length_s : samples.length_s[i - 1]);
    if (start_s - end_s > tolerance * shorter_s) {
      points.push_back({(start_s + end_s) / 2.0, std::nullopt});
    }
    end_s = start_s + length_s;
    chart::TimePoint& point =
        points.emplace_back(chart::TimePoint{start_s + length_s / 2.0, column[i]});
    if (per_second && point.value) *point.value /= length_s;
  }
  return points;
}

double last_moment_s(const HardwareSamples& samples) {
  return samples.size() == 0 ? 0.0 : samples.start_s.back() + samples.length_s.back();
}

struct Line {
  const char* name;
  HardwareSamples::Column HardwareSamples::*column;
  std::optional<double> SampleTotals::*mean;
};

constexpr std::array<Line, 2> byte_lines = {{
    {"read", &HardwareSamples::read_bytes, &SampleTotals::read_bytes_per_s},
    {"written", &HardwareSamples::write_bytes, &SampleTotals::write_bytes_per_s},
}};

constexpr std::array<Line, 6> share_lines = {{
    {"tensor pipe", &HardwareSamples::tensor_share, &SampleTotals::tensor_share},
    {"FP32 pipe", &HardwareSamples::fp32_share, &SampleTotals::fp32_share},
    {"FP64 pipe", &HardwareSamples::fp64_share, &SampleTotals::fp64_share},
    {"FP16 pipe", &HardwareSamples::fp16_share, &SampleTotals::fp16_share},
    {"warps in flight", &HardwareSamples::warps_share, &SampleTotals::warps_share},
    {"SMs in use", &HardwareSamples::sm_share, &SampleTotals::sm_share},
}};

}  // namespace

page::Table samples_table(std::span<const ImportedCase> cases) {
  static constexpr auto columns = page::columns_of(
      page::titled("source", "file"), "device", "window_s", "sampled_share",
      page::in_csv("sampled_s"), page::in_csv("sample_count"), page::if_known("dram_read_bytes"),
      page::if_known("dram_write_bytes"), page::if_known("read_bytes_per_s"),
      page::if_known("write_bytes_per_s"), page::if_known("bandwidth_share"),
      page::if_known("tensor_pipe_share"), page::if_known("fp32_pipe_share"),
      page::if_known("fp64_pipe_share"), page::if_known("fp16_pipe_share"),
      page::if_known("warps_in_flight_share"), page::if_known("sm_in_use_share"));
  std::vector<page::JoinedRow> rows;
  for (const ImportedCase& imported : cases) {
    if (!imported.sampled || imported.sampled->totals.samples == 0) continue;
    const std::string device = device_of(imported.record);
    rows.emplace_back().own("source", imported.source).own("device", device).of(*imported.sampled);
    if (const auto& gpm = imported.record.hardware_samples->gpm) {
      rows.emplace_back()
          .own("source", "the same by NVML's GPM")
          .own("device", device)
          .own("window_s", imported.sampled->totals.window_s)
          .of(*gpm);
    }
  }
  page::Table table = page::table_of(rows, columns);
  table.title = "Sampled over time";
  return table;
}

std::string samples_sentence(const ImportedCase& imported) {
  if (!imported.sampled || imported.sampled->totals.samples == 0) return {};
  const SampleTotals& totals = imported.sampled->totals;
  std::vector<std::string> parts;
  if (totals.read_bytes && totals.write_bytes && totals.bytes_per_s) {
    std::string text =
        format("DRAM moved {} in {}: {}", si(*totals.read_bytes + *totals.write_bytes, "B"),
               si(totals.sampled_s, "s"), si(*totals.bytes_per_s, "B/s"));
    if (const auto share = imported.sampled->bandwidth_share) {
      text += format(", {:.1f} % of the bandwidth", 100.0 * *share);
    }
    parts.push_back(std::move(text));
  }
  for (const Line& line : share_lines) {
    if (const auto& mean = totals.*line.mean) {
      parts.push_back(format("{} {:.1f} %", line.name, 100.0 * *mean));
    }
  }
  return parts.empty() ? std::string() : join(parts, "; ") + ".";
}

std::vector<chart::Chart> samples_charts(const ImportedCase& imported) {
  std::vector<chart::Chart> charts;
  if (!imported.sampled) return charts;
  const HardwareSamples& samples = *imported.record.hardware_samples;
  const SampleTotals& totals = imported.sampled->totals;
  const double last_s = last_moment_s(samples);
  chart::TimeChart bytes({.title = "DRAM over time",
                          .subtitle = imported.title,
                          .label = "DRAM",
                          .unit = "B/s",
                          .numbers = chart::NumberStyle::si},
                         last_s);
  for (const Line& line : byte_lines) {
    bytes.add(line.name, points_of(samples, samples.*line.column, true), totals.*line.mean);
  }
  bytes.finish(charts, "Of the whole device, all processes together.");
  chart::TimeChart shares({.title = "Activity over time",
                           .subtitle = imported.title,
                           .label = "share of the chip's most",
                           .unit = "%",
                           .factor = 100.0},
                          last_s);
  for (const Line& line : share_lines) {
    shares.add(line.name, points_of(samples, samples.*line.column, false), totals.*line.mean);
  }
  shares.finish(charts,
                "Pipes: cycles in which they worked. Warps in flight: of all that the"
                " multiprocessors can hold. Idle multiprocessors count as 0.",
                103.0);
  return charts;
}

page::PageSection samples_section(std::span<const ImportedCase> cases) {
  page::PageSection section{.heading = "Over time"};
  for (const ImportedCase& imported : cases) {
    for (chart::Chart& chart : samples_charts(imported)) {
      section.charts.push_back({"", std::move(chart)});
    }
  }
  return section;
}

}  // namespace rooflab::report
