#include "datasheet_figures.hpp"

#include <algorithm>

#include "finding_rules.hpp"
#include "rooflab/base/error.hpp"
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

std::optional<double> value_of(const StudyCase& study_case, std::string_view quantity) {
  const Figure* const figure = study_case.find(quantity);
  return figure == nullptr ? std::nullopt : std::optional(figure->value);
}

/// Counted where it was counted: as a figure, or as FLOPs and bytes.
std::optional<double> intensity_of(const StudyCase& study_case) {
  if (const auto counted = value_of(study_case, "counted_intensity")) return counted;
  const auto counted =
      quotient(value_of(study_case, "counted_flops"), value_of(study_case, "dram_bytes"));
  return counted ? counted : value_of(study_case, "intensity");
}

}  // namespace

std::optional<device::Device> device_of(const StudyCase& study_case,
                                        const device::Catalog& catalog) {
  const std::string_view name = study_case.attribute("device");
  if (name.empty()) return std::nullopt;
  try {
    return catalog.find(name);
  } catch (const Error&) {
    return std::nullopt;  // a processor, or a GPU that no file describes
  }
}

std::optional<ArithmeticPath> path_of(const StudyCase& study_case, const device::Device& device) {
  const Precision precision =
      from_name<Precision>(study_case.attribute("precision")).value_or(Precision::fp32);
  const DType type = matrix_type(precision);
  const std::optional<ArithmeticPath> path = predict::matrix_path(device, type, precision);
  return path ? path : predict::vector_path(device, type);
}

void add_datasheet_figures(std::span<StudyCase> cases, const Study& study,
                           const device::Catalog& catalog) {
  for (StudyCase& each : cases) {
    if (each.figures.empty() || each.attribute("mode") == name_of(Mode::probe)) continue;
    add(each, "achieved_bandwidth", quotient(value_of(each, "dram_bytes"), value_of(each, "time")));
    const std::optional<device::Device> device = device_of(each, catalog);
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
    const auto peak = value_of(each, "peak_flops");
    const auto bandwidth = value_of(each, "bandwidth");
    add(each, "ridge_point", quotient(peak, bandwidth));
    const auto intensity = intensity_of(each);
    if (peak && bandwidth && intensity) {
      add(each, "attainable", std::min(*peak, *intensity * *bandwidth));
    }
  }
}

}  // namespace rooflab::study
