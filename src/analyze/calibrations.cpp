#include <algorithm>
#include <utility>

#include "analyze_notes.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/system/file.hpp"

namespace rooflab::analyze {
namespace {

using device::Calibration;
using device::HostCosts;

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

/// Hosts differ: the same step took 1.3 to 2.2 times as long to issue on the probed machine on
/// another day, and other programs' modules cost 1.3 times as much for equal ops
/// (docs/measured/h200.md). A factor of two either way in nine of ten cases.
constexpr double other_host_deviation = 0.42;

/// A CPU runs an op on the thread that issues it; multiprocessors are of GPUs.
bool runs_what_it_issues(const device::Device& device) { return !device.sm_count; }

const HostCosts* costs_of(const Calibration& calibration, std::string_view issuer) {
  const auto found = std::ranges::find(calibration.hosts, issuer, &HostCosts::issuer);
  return found == calibration.hosts.end() ? nullptr : &*found;
}

/// The nearest calibration that has issue costs, of `issuer` if one is named; nullptr: none has.
std::shared_ptr<const Calibration> host_calibration(
    const std::vector<predict::CalibratedDevice>& relatives, const std::string& issuer) {
  for (const predict::CalibratedDevice& relative : relatives) {
    const std::vector<std::string>& issuers = relative.calibration.entry().issuers;
    const bool fits =
        issuer.empty() ? !issuers.empty() : std::ranges::find(issuers, issuer) != issuers.end();
    if (fits) return relative.calibration.read();
  }
  return nullptr;
}

/// The usual issuer's costs, else PyTorch's, else any; nullptr: the calibration has no costs.
const HostCosts* usual_costs(const Calibration& calibration, const std::string& usual) {
  for (const std::string_view issuer : {std::string_view(usual), std::string_view("pytorch")}) {
    if (const HostCosts* const costs = costs_of(calibration, issuer)) return costs;
  }
  return calibration.hosts.empty() ? nullptr : &calibration.hosts.front();
}

void choose_host(CalibratedModel& model, const IssuerChoice& issuer) {
  const std::vector<predict::CalibratedDevice>& relatives = model.times.sources();
  if (issuer.name == graph_issuer) {
    if (runs_what_it_issues(model.times.target())) {
      throw Error(ErrorKind::usage, format("{} replays no CUDA graphs", model.times.target().name),
                  issuer.advice);
    }
    model.graph = predict::graph_replay(model.times);
    return;
  }
  model.without_host = issuer.name == "none" ||
                       (issuer.name.empty() && runs_what_it_issues(relatives.front().device));
  if (model.without_host) return;
  const std::shared_ptr<const Calibration> calibration = host_calibration(relatives, issuer.name);
  if (!calibration) {
    if (!issuer.name.empty()) {
      std::vector<std::string> known;
      for (const predict::CalibratedDevice& relative : relatives) {
        for (const std::string& each : relative.calibration.entry().issuers) {
          if (std::ranges::find(known, each) == known.end()) known.push_back(each);
        }
      }
      throw Error(ErrorKind::usage, format("no calibration has issue costs of {}", issuer.name),
                  known.empty() ? "" : format("there are those of {}", join(known, ", ")));
    }
    model.note = Note{says.host_left_out};
    return;
  }
  model.host = issuer.name.empty() ? usual_costs(*calibration, issuer.usual)
                                   : costs_of(*calibration, issuer.name);
  if (calibration->device == model.times.target().id) return;
  model.host_deviation = other_host_deviation;
  model.note =
      Note{says.host_of_other_machine,
           {model.host->cpu.empty() ? calibration->device_name : model.host->cpu, issuer.advice}};
}

}  // namespace

KnownCalibrations KnownCalibrations::built_in() {
  KnownCalibrations known;
  known.add_built_in(device::Catalog::built_in());
  return known;
}

std::string KnownCalibrations::add(Calibration calibration, const device::Catalog& catalog) {
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
  std::vector<predict::CalibratedDevice> candidates;
  for (const device::LazyCalibration& calibration : all) {
    candidates.push_back({calibration, devices.at(calibration.entry().device)});
  }
  std::vector<predict::CalibratedDevice> relatives =
      predict::relatives_of(device, std::move(candidates));
  if (relatives.empty()) return std::nullopt;
  const Relation relation = relation_between(device, relatives.front().device);
  CalibratedModel model{.times = predict::TimeModel(std::move(relatives), device, described),
                        .relation = relation};
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
          for (const auto& [id, other] : *models) {
            if (other) model->times.share_work_of(other->times);
          }
          found->second = std::make_shared<const CalibratedModel>(*std::move(model));
        }
        return found->second;
      };
}

Error no_calibration_fits(const device::Device& device, std::string hint) {
  return {ErrorKind::usage, format("no calibration fits {}", device.name), std::move(hint)};
}

}  // namespace rooflab::analyze
