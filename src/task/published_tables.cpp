#include <algorithm>
#include <filesystem>
#include <vector>

#include "probe_parts.hpp"
#include "rooflab/base/csv.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/parameter_list.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/device/lazy_calibration.hpp"
#include "rooflab/probe/published_ops.hpp"

namespace rooflab::task {
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

Calibration calibration_from(const ProbeRequest& request, const device::Catalog& catalog,
                             const Session& session) {
  const device::Device device = catalog.find(request.device);
  if (!device.sm_count) {
    throw Error(
        ErrorKind::usage,
        format("the catalog does not say how many multiprocessors {} has", device.id),
        format("{} takes a device file with sm_count", flag_of<&DeviceFiles::devices_dir>()));
  }
  Calibration calibration;
  calibration.id = device.id;
  calibration.device = device.id;
  calibration.device_name = device.name;
  calibration.command = session.command;
  calibration.environment["multiprocessors"] = format("{:.0f}", device.sm_count->value);
  const Calibrations& known = device::built_in_calibrations();
  const std::vector<std::string> kinds = kinds_of(known);
  for (const std::filesystem::path file : request.from) {
    const probe::OpDescription description =
        probe::read_op_description(read_file(file), file.string(), kinds);
    const std::filesystem::path folder =
        request.tables.empty() ? file.parent_path() : std::filesystem::path(request.tables);
    const std::filesystem::path place = folder / description.table;
    const CsvTable table = parse_csv(read_file(place), place.string());
    probe::add_published_ops(
        calibration, description, table, reference_of(description, known).get(),
        device.sm_count->value, [&](double done) {
          session.show_progress(format("{}: {:.0f} %", description.table, 100.0 * done));
        });
    session.show_progress("");
  }
  return calibration;
}

}  // namespace rooflab::task
