#include "datasheet_figures.hpp"

#include <algorithm>

#include "known_device.hpp"
#include "published/explanation_rules.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/predict/limit.hpp"

namespace rooflab::study {
namespace {

/// What a publisher divided by; empty for cases that nobody published.
const std::map<std::string, double>& used_by(const StudyCase& study_case, const Study& study) {
  static const std::map<std::string, double> nothing;
  for (std::size_t i = 0; i < study.published.size(); ++i) {
    if (study_case.id == id_of_published(i)) return study.published[i].used;
  }
  return nothing;
}

void add(StudyCase& study_case, std::string_view quantity, std::optional<double> value) {
  if (!value || study_case.find(quantity) != nullptr) return;
  study_case.figures.push_back(
      {.quantity = std::string(quantity), .value = *value, .low = {}, .high = {}});
}

/// Counted where it was counted: as a figure, or as FLOPs and bytes.
std::optional<double> intensity_of(const StudyCase& study_case) {
  if (const auto counted = study_case.value("counted_intensity")) return counted;
  const auto counted = quotient(study_case.value("counted_flops"), study_case.value("dram_bytes"));
  return counted ? counted : study_case.value("intensity");
}

}  // namespace

std::optional<ArithmeticPath> path_of(const StudyCase& study_case, const device::Device& device) {
  const Precision precision =
      from_name<Precision>(study_case.attribute("precision")).value_or(Precision::fp32);
  const DType type = matrix_type(precision);
  const std::optional<ArithmeticPath> path = predict::matrix_path(device, type, precision);
  return path ? path : predict::vector_path(device, type);
}

std::optional<double> attainable_at(const StudyCase& study_case, double intensity) {
  const std::optional<double> peak = study_case.value("peak_flops");
  const std::optional<double> bandwidth = study_case.value("bandwidth");
  if (!peak || !bandwidth) return std::nullopt;
  return std::min(*peak, intensity * *bandwidth);
}

void add_datasheet_figures(std::span<StudyCase> cases, const Study& study,
                           const device::Catalog& catalog) {
  for (StudyCase& each : cases) {
    if (each.figures.empty() || each.attribute("mode") == name_of(Mode::probe)) continue;
    add(each, "achieved_bandwidth", quotient(each.value("dram_bytes"), each.value("time")));
    const std::optional<device::Device> device = known_device(catalog, each.attribute("device"));
    if (!device) continue;
    const std::map<std::string, double>& used = used_by(each, study);
    const auto said = [&used](const char* what) {
      const auto found = used.find(what);
      return found == used.end() ? std::nullopt : std::optional(found->second);
    };
    const std::optional<ArithmeticPath> path = path_of(each, *device);
    const std::optional<double> printed_peak = said("peak_flops");
    const std::optional<double> printed_bandwidth = said("bandwidth");
    add(each, "peak_flops", printed_peak || !path ? printed_peak : device::peak(*device, *path));
    add(each, "bandwidth",
        printed_bandwidth || !device->bandwidth ? printed_bandwidth
                                                : std::optional(device->bandwidth->value));
    add(each, "ridge_point", quotient(each.value("peak_flops"), each.value("bandwidth")));
    if (const auto intensity = intensity_of(each)) {
      add(each, "attainable", attainable_at(each, *intensity));
    }
  }
}

}  // namespace rooflab::study
