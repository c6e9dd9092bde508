#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "kept_models.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::analyze {
namespace {

using device::Calibration;

/// What was measured is all that is known of a device that no file describes.
device::Device bare_device(const Calibration& calibration) {
  device::Device bare;
  bare.id = calibration.device;
  bare.name = calibration.device_name;
  const auto written = calibration.environment.find("multiprocessors");
  const bool known = written != calibration.environment.end();
  if (const auto count = known ? parse_number(written->second) : std::nullopt) {
    bare.sm_count = device::Figure{
        .value = *count, .unit = "SM", .printed_value = *count, .source = "rooflab probe"};
  }
  return device::with_measured_roofs(std::move(bare), calibration);
}

/// Multiprocessors of the calibration's device; 1: not known.
double multiprocessors_of(const Calibration& calibration, const device::Catalog& catalog) {
  const device::Device device =
      catalog.has(calibration.device) ? catalog.find(calibration.device) : bare_device(calibration);
  return device.sm_count ? device.sm_count->value : 1.0;
}

/// Rows without a model would predict nothing.
void fit_what_is_not(Calibration& calibration, const device::Catalog& catalog) {
  for (auto& [kind, table] : calibration.ops) {
    if (!table.curve.empty() || table.rows.empty()) continue;
    const auto columns = predict::columns_of(predict::shape_of_kind(kind).op);
    const std::vector<std::string> names(columns.begin(), columns.end());
    if (table.columns != names) {
      throw Error(ErrorKind::input,
                  format("calibration {}: {} rows of {} have the columns {}", calibration.id,
                         table.rows.size(), kind, join(table.columns, ", ")),
                  format("this op's are {}", join(names, ", ")));
    }
    predict::fit_table(kind, table, multiprocessors_of(calibration, catalog));
  }
}

}  // namespace

KnownCalibrations KnownCalibrations::built_in() {
  KnownCalibrations known;
  known.add_built_in(device::Catalog::built_in());
  return known;
}

std::string KnownCalibrations::add(Calibration calibration, const device::Catalog& catalog) {
  fit_what_is_not(calibration, catalog);
  if (calibration.device.empty()) {
    calibration.device = calibration.id;
    while (catalog.has(calibration.device)) calibration.device = "probed-" + calibration.device;
  }
  return add(device::LazyCalibration(std::move(calibration)), catalog);
}

std::string KnownCalibrations::add(device::LazyCalibration calibration,
                                   const device::Catalog& catalog) {
  if (described.empty()) described = catalog.devices();
  std::string id = calibration.entry().device;
  if (id.empty()) return add(*calibration.read(), catalog);
  if (!devices.contains(id)) {
    if (catalog.has(id)) {
      devices.emplace(id, catalog.find(id));
    } else {
      uncatalogued.push_back(bare_device(*calibration.read()));
      devices.emplace(id, uncatalogued.back());
    }
  }
  all.push_back(std::move(calibration));
  return id;
}

void KnownCalibrations::add_file(const std::string& file, const device::Catalog& catalog) {
  given.push_back(add(device::read_calibration(read_file(file), file), catalog));
}

void KnownCalibrations::add_built_in(const device::Catalog& catalog) {
  for (const device::LazyCalibration& calibration : device::built_in_calibrations()) {
    add(calibration, catalog);
  }
}

const Calibration* KnownCalibrations::of(const device::Device& device) const {
  const auto found = std::ranges::find_if(all, [&](const device::LazyCalibration& calibration) {
    return calibration.entry().device == device.id;
  });
  return found == all.end() ? nullptr : found->read().get();  // which keeps it
}

std::optional<CalibratedModel> KnownCalibrations::model_for(const device::Device& device,
                                                            const IssuerChoice& issuer) const {
  return calibrated_model(device, with_devices(*this), described, issuer);
}

CalibrationLookup lookup_in(std::shared_ptr<const KnownCalibrations> known, IssuerChoice issuer) {
  return [models = std::make_shared<const KeptModels>(*known), issuer = std::move(issuer)](
             const device::Device& device) { return models->model_for(device, issuer); };
}

Error no_calibration_fits(const device::Device& device, std::string hint) {
  return {ErrorKind::usage, format("no calibration fits {}", device.name), std::move(hint)};
}

}  // namespace rooflab::analyze
