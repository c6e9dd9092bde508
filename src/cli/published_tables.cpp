#include "published_tables.hpp"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "flag_value.hpp"
#include "rooflab/base/csv.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/device/lazy_calibration.hpp"
#include "rooflab/probe/published_ops.hpp"

namespace rooflab::cli {
namespace {

using device::Calibration;

using Calibrations = std::vector<device::LazyCalibration>;

std::vector<std::string> kinds_of(const Calibrations& calibrations) {
  std::vector<std::string> kinds;
  for (const device::LazyCalibration& calibration : calibrations) {
    for (const device::CalibratedKind& kind : calibration.entry().kinds) kinds.push_back(kind.name);
  }
  return kinds;
}

/// nullptr: the description names none.
std::shared_ptr<const Calibration> reference_of(const probe::OpDescription& description,
                                                const Calibrations& known) {
  if (description.reference.empty()) return nullptr;
  std::vector<std::string> ids;
  for (const device::LazyCalibration& each : known) {
    if (each.entry().id == description.reference) return each.read();
    ids.push_back(each.entry().id);
  }
  throw Error(
      ErrorKind::input, format("unknown calibration '{}'", description.reference),
      near_hint(description.reference, ids, format("built-in calibrations: {}", join(ids, ", "))),
      {.file = description.file, .line = {}, .column = {}, .byte_offset = {}});
}

}  // namespace

Calibration calibration_from(const PublishedTables& request, const device::Catalog& catalog,
                             const Console& console) {
  if (request.device.empty()) {
    throw Error(ErrorKind::usage, "--from needs --device: a table has rows of several devices",
                "rooflab probe --from ops.toml --device t4 --save t4.toml");
  }
  const device::Device device = catalog.find(request.device);
  if (!device.sm_count) {
    throw Error(ErrorKind::usage,
                format("the catalog does not say how many multiprocessors {} has", device.id),
                "--devices-dir takes a device file with sm_count");
  }
  Calibration calibration;
  calibration.id = device.id;
  calibration.device = device.id;
  calibration.device_name = device.name;
  calibration.command = request.command;
  calibration.environment["multiprocessors"] = format("{:.0f}", device.sm_count->value);
  const Calibrations& known = device::built_in_calibrations();
  const std::vector<std::string> kinds = kinds_of(known);
  for (const std::string& part : split(request.descriptions, ',')) {
    const std::filesystem::path file(std::string(trim(part)));
    const probe::OpDescription description =
        probe::read_op_description(read_file(file), file.string(), kinds);
    const std::filesystem::path folder =
        request.tables.empty() ? file.parent_path() : std::filesystem::path(request.tables);
    const std::filesystem::path place = folder / description.table;
    const CsvTable table = parse_csv(read_file(place), place.string());
    probe::add_published_ops(
        calibration, description, table, reference_of(description, known).get(),
        device.sm_count->value, [&](double done) {
          console.show_progress(format("{}: {:.0f} %", description.table, 100.0 * done));
        });
    console.clear_progress();
  }
  return calibration;
}

}  // namespace rooflab::cli
