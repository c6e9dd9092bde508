#include "rooflab/analyze/calibrations.hpp"

#include <algorithm>
#include <utility>

#include "rooflab/base/file.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::analyze {
namespace {

using device::Calibration;
using device::HostCosts;

/// What was measured is all that is known of a device that no file describes.
device::Device bare_device(const Calibration& calibration) {
  device::Device bare;
  bare.id = calibration.device;
  bare.name = calibration.device_name;
  const auto multiprocessors = calibration.environment.find("multiprocessors");
  if (multiprocessors != calibration.environment.end()) {
    if (const std::optional<double> count = parse_number(multiprocessors->second)) {
      bare.sm_count = device::Figure{.value = *count,
                                     .unit = "SM",
                                     .printed_value = *count,
                                     .source = "rooflab probe",
                                     .recalled = false,
                                     .note = {}};
    }
  }
  return device::with_measured_roofs(std::move(bare), calibration);
}

/// What nearest_relative() looks at, so that it chooses before any table is read.
std::shared_ptr<const Calibration> head_of(const device::CalibrationEntry& entry) {
  Calibration head;
  head.id = entry.id;
  head.device = entry.device;
  if (!entry.kinds.empty()) head.ops[entry.kinds.front().name];  // it asks whether there are any
  return std::make_shared<const Calibration>(std::move(head));
}

/// A CPU runs an op on the thread that issues it; multiprocessors are of GPUs.
bool runs_what_it_issues(const device::Device& device) { return !device.sm_count; }

const HostCosts* costs_of(const Calibration& calibration, std::string_view issuer) {
  const auto found = std::ranges::find(calibration.hosts, issuer, &HostCosts::issuer);
  return found == calibration.hosts.end() ? nullptr : &*found;
}

const HostCosts& named_costs(const Calibration& calibration, const std::string& issuer) {
  if (const HostCosts* const costs = costs_of(calibration, issuer)) return *costs;
  std::vector<std::string> issuers;
  for (const HostCosts& each : calibration.hosts) issuers.push_back(each.issuer);
  throw Error(ErrorKind::usage,
              format("the calibration {} has no issue costs of {}", calibration.id, issuer),
              issuers.empty() ? "" : format("it has those of {}", join(issuers, ", ")));
}

/// The usual issuer's costs, else PyTorch's, else any; nullptr: there are none.
const HostCosts* usual_costs(const Calibration& calibration, const std::string& usual) {
  for (const std::string& issuer : {usual, std::string("pytorch")}) {
    if (const HostCosts* const costs = costs_of(calibration, issuer)) return costs;
  }
  return calibration.hosts.empty() ? nullptr : &calibration.hosts.front();
}

void choose_host(CalibratedModel& model, const IssuerChoice& issuer) {
  const Calibration& calibration = model.times.calibration();
  if (issuer.name == "none") return;
  if (!issuer.name.empty()) {
    model.host = &named_costs(calibration, issuer.name);
    return;
  }
  if (runs_what_it_issues(model.times.source())) return;
  if (model.times.carried()) {
    model.note =
        "the host is taken to keep ahead: issue costs belong to the machine that was probed";
    if (!issuer.advice.empty()) model.note += format(" ({})", issuer.advice);
    return;
  }
  model.host = usual_costs(calibration, issuer.usual);
  if (model.host == nullptr) {
    model.note = "the host is taken to keep ahead: the calibration has no issue costs";
  }
}

}  // namespace

KnownCalibrations KnownCalibrations::built_in() {
  KnownCalibrations known;
  known.add_built_in(device::Catalog::built_in());
  return known;
}

std::string KnownCalibrations::add(Calibration calibration, const device::Catalog& catalog) {
  if (calibration.device.empty()) {
    const std::vector<std::string> catalogued = catalog.ids();
    calibration.device = calibration.id;
    while (std::ranges::find(catalogued, calibration.device) != catalogued.end()) {
      calibration.device = "probed-" + calibration.device;
    }
  }
  return add(device::LazyCalibration(std::move(calibration)), catalog);
}

std::string KnownCalibrations::add(device::LazyCalibration calibration,
                                   const device::Catalog& catalog) {
  std::string id = calibration.entry().device;
  if (id.empty()) return add(*calibration.read(), catalog);
  if (!devices.contains(id)) {
    const std::vector<std::string> catalogued = catalog.ids();
    if (std::ranges::find(catalogued, id) != catalogued.end()) {
      devices.emplace(id, catalog.find(id));
    } else {
      devices.emplace(id, bare_device(*calibration.read()));
      uncatalogued.push_back(id);
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

std::vector<device::Device> KnownCalibrations::uncatalogued_devices() const {
  std::vector<device::Device> found;
  for (const std::string& id : uncatalogued) found.push_back(devices.at(id));
  return found;
}

std::optional<CalibratedModel> KnownCalibrations::model_for(const device::Device& device,
                                                            const IssuerChoice& issuer) const {
  std::vector<std::shared_ptr<const Calibration>> heads;
  std::vector<device::LazyCalibration> candidates;
  for (const device::LazyCalibration& calibration : all) {
    const device::Device& measured = devices.at(calibration.entry().device);
    const bool same_maker = !measured.vendor.empty() && measured.vendor == device.vendor;
    if (measured.id != device.id && !same_maker) continue;
    heads.push_back(head_of(calibration.entry()));
    candidates.push_back(calibration);
  }
  const std::optional<predict::Relative> relative =
      predict::nearest_relative(device, heads, devices);
  if (!relative) return std::nullopt;
  const auto chosen = std::ranges::find(heads, relative->calibration) - heads.begin();
  CalibratedModel model{
      .times = predict::TimeModel(candidates[static_cast<std::size_t>(chosen)].read(),
                                  relative->device, device),
      .relation = relative->same                ? Relation::own
                  : relative->same_architecture ? Relation::same_architecture
                                                : Relation::relative,
      .host = nullptr,
      .note = {}};
  choose_host(model, issuer);
  return model;
}

CalibrationLookup lookup_in(std::shared_ptr<const KnownCalibrations> known, IssuerChoice issuer) {
  using Model = std::shared_ptr<const CalibratedModel>;
  const auto models = std::make_shared<std::map<std::string, Model>>();
  return
      [known = std::move(known), issuer = std::move(issuer), models](const device::Device& device) {
        const auto [found, is_new] = models->try_emplace(device.id);
        if (!is_new) return found->second;
        if (std::optional<CalibratedModel> model = known->model_for(device, issuer)) {
          found->second = std::make_shared<const CalibratedModel>(*std::move(model));
        }
        return found->second;
      };
}

Error no_calibration_fits(const device::Device& device, std::string hint) {
  return {ErrorKind::usage, format("no calibration fits {}", device.name), std::move(hint)};
}

}  // namespace rooflab::analyze
