#include "kept_models.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/format.hpp"
#include "notes/analyze_notes.hpp"

namespace rooflab::analyze {
namespace {

using device::Calibration;
using device::HostCosts;

/// All devices of the catalog with two issuers, and as many of callers.
constexpr std::size_t most_models = 200;

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

std::vector<predict::CalibratedDevice> with_devices(const KnownCalibrations& known) {
  std::vector<predict::CalibratedDevice> calibrated;
  for (const device::LazyCalibration& calibration : known.all) {
    calibrated.push_back({calibration, known.devices.at(calibration.entry().device)});
  }
  return calibrated;
}

std::optional<CalibratedModel> calibrated_model(const device::Device& device,
                                                std::vector<predict::CalibratedDevice> calibrated,
                                                const std::vector<device::Device>& described,
                                                const IssuerChoice& issuer) {
  std::vector<predict::CalibratedDevice> relatives =
      predict::relatives_of(device, std::move(calibrated));
  if (relatives.empty()) return std::nullopt;
  const Relation relation = relation_between(device, relatives.front().device);
  CalibratedModel model{.times = predict::TimeModel(std::move(relatives), device, described),
                        .relation = relation};
  choose_host(model, issuer);
  return model;
}

KeptModels::KeptModels(const KnownCalibrations& known)
    : calibrated_(with_devices(known)), described_(known.described) {
  for (predict::CalibratedDevice& each : calibrated_) each = with_models(std::move(each));
}

const KeptModels::Kept* KeptModels::find(const device::Device& device,
                                         const IssuerChoice& issuer) const {
  const auto found = std::ranges::find_if(
      kept_, [&](const Kept& each) { return each.device == device && each.issuer == issuer; });
  return found == kept_.end() ? nullptr : &*found;
}

std::shared_ptr<const CalibratedModel> KeptModels::model_for(const device::Device& device,
                                                             const IssuerChoice& issuer) const {
  {
    const std::shared_lock lock(mutex_);
    if (const Kept* const kept = find(device, issuer)) return kept->model;
  }
  const std::scoped_lock lock(mutex_);  // models of one architecture then share their work
  if (const Kept* const kept = find(device, issuer)) return kept->model;
  Kept made{device, issuer, nullptr};
  if (auto model = calibrated_model(device, calibrated_, described_, issuer)) {
    for (const Kept& other : kept_) {
      if (other.model) model->times.share_work_of(other.model->times);
    }
    made.model = std::make_shared<const CalibratedModel>(*std::move(model));
  }
  kept_.push_front(std::move(made));
  if (kept_.size() > most_models) kept_.pop_back();
  return kept_.front().model;
}

}  // namespace rooflab::analyze
