#include "rooflab/device/calibration.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "base/format.hpp"

namespace rooflab::device {

namespace {

/// The largest of the named figures; nullptr when none of them was measured.
const MeasuredFigure* best_of(const Calibration& calibration, std::span<const std::string> names) {
  const MeasuredFigure* best = nullptr;
  for (const std::string& name : names) {
    const MeasuredFigure* const figure = calibration.find(name);
    if (figure != nullptr && (best == nullptr || figure->value > best->value)) best = figure;
  }
  return best;
}

/// `rooflab probe, 2026-11-21T14:00:00Z, dram.copy at 8 GiB`
std::string source_of(const MeasuredFigure& figure, const Calibration& calibration) {
  std::string text = "rooflab probe, ";
  if (const auto date = calibration.environment.find("date");
      date != calibration.environment.end()) {
    text += date->second + ", ";
  }
  text += figure.name;
  return figure.at.empty() ? text : text + " at " + figure.at;
}

/// The measured figure in the place of a printed one, which was in `unit`s of `factor`.
Figure roof_of(const MeasuredFigure& measured, const Calibration& calibration, double factor,
               std::string unit) {
  return {.value = measured.value,
          .unit = std::move(unit),
          .printed_value = measured.value / factor,
          .source = source_of(measured, calibration),
          .recalled = false,
          .note = {},
          .measured = true};
}

}  // namespace

const MeasuredFigure* Calibration::find(std::string_view name) const {
  const auto found = std::find_if(figures.begin(), figures.end(),
                                  [&](const MeasuredFigure& f) { return f.name == name; });
  return found == figures.end() ? nullptr : &*found;
}

bool is_rough(const OpTable& table) {
  constexpr std::size_t least_rows = 50;
  constexpr double most_error = 0.3;
  return !table.published && table.rows.size() < least_rows && table.error > most_error;
}

std::optional<double> expected_error(const Calibration& calibration) {
  double sum = 0.0;
  double rows = 0.0;
  for (const auto& [kind, table] : calibration.ops) {
    if (table.published || table.curve.empty()) continue;
    sum += table.error * static_cast<double>(table.rows.size());
    rows += static_cast<double>(table.rows.size());
  }
  return rows > 0.0 ? std::optional(sum / rows) : std::nullopt;
}

Device with_measured_roofs(Device known, const Calibration& calibration) {
  const std::array<std::string, 4> streams = {"dram.read", "dram.write", "dram.copy", "dram.triad"};
  if (const MeasuredFigure* const best = best_of(calibration, streams)) {
    known.bandwidth = roof_of(*best, calibration, 1e9, "GB/s");
  }
  for (const ArithmeticPath path : values_of<ArithmeticPath>) {
    const std::array<std::string, 2> rates = {format("peak.{}", name_of(path)),
                                              format("gemm.{}", name_of(path))};
    if (const MeasuredFigure* const best = best_of(calibration, rates)) {
      const bool integers = path == ArithmeticPath::int8_tensor_int32;
      known.peaks.insert_or_assign(
          path, roof_of(*best, calibration, 1e12, integers ? "TOP/s" : "TFLOP/s"));
    }
  }
  return known;
}

}  // namespace rooflab::device
