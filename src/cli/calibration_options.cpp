#include "calibration_options.hpp"

#include <algorithm>

#include "error_context.hpp"
#include "flag_value.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::cli {
namespace {

using analyze::CalibratedModel;
using analyze::PredictionModel;
using analyze::Relation;
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

/// Adds calibrations and knows their devices.
class Adder {
 public:
  Adder(KnownCalibrations& known, const device::Catalog& catalog)
      : known_(known), catalog_(catalog), catalog_ids_(catalog.ids()) {}

  std::string add(Calibration calibration) {
    if (calibration.device.empty()) {
      calibration.device = calibration.id;
      while (is_catalogued(calibration.device)) calibration.device = "probed-" + calibration.device;
    }
    const std::string id = calibration.device;
    if (!known_.devices.contains(id)) {
      if (is_catalogued(id)) {
        known_.devices.emplace(id, catalog_.find(id));
      } else {
        known_.devices.emplace(id, bare_device(calibration));
        known_.uncatalogued.push_back(id);
      }
    }
    known_.all.push_back(std::make_shared<const Calibration>(std::move(calibration)));
    return id;
  }

 private:
  [[nodiscard]] bool is_catalogued(const std::string& id) const {
    return std::ranges::find(catalog_ids_, id) != catalog_ids_.end();
  }

  KnownCalibrations& known_;
  const device::Catalog& catalog_;
  std::vector<std::string> catalog_ids_;
};

/// A CPU runs an op on the thread that issues it; multiprocessors are of GPUs.
bool runs_what_it_issues(const device::Device& device) { return !device.sm_count; }

const HostCosts* costs_of(const Calibration& calibration, std::string_view issuer) {
  const auto found = std::ranges::find(calibration.hosts, issuer, &HostCosts::issuer);
  return found == calibration.hosts.end() ? nullptr : &*found;
}

}  // namespace

const Calibration* KnownCalibrations::of(const device::Device& device) const {
  const auto found = std::ranges::find_if(
      all, [&](const auto& calibration) { return calibration->device == device.id; });
  return found == all.end() ? nullptr : found->get();
}

std::vector<device::Device> KnownCalibrations::uncatalogued_devices() const {
  std::vector<device::Device> found;
  for (const std::string& id : uncatalogued) found.push_back(devices.at(id));
  return found;
}

void CalibrationOptions::add_files_to(Command command) {
  command
      .add_option("--calibration", files_,
                  "files of probe --save, before the built-in calibrations; by commas")
      .type_name("FILE,...")
      .expected(1)
      .take_all();
}

void CalibrationOptions::add_to(Command command) {
  add_files_to(command);
  command
      .add_option("--model", model_,
                  "of the predicted time: calibrated (where one fits), ppp, or limit: none")
      .type_name("M");
  command
      .add_option("--issued-by", issued_by_,
                  "whose issue costs to use: pytorch, rooflab or none (see --help)")
      .type_name("WHO");
}

void CalibrationOptions::check(bool percent_given) const {
  const std::optional<PredictionModel> asked = model();
  if (asked == PredictionModel::ppp && !percent_given) {
    throw Error(ErrorKind::usage, "--model ppp needs --ppp",
                "--ppp 0.62, or a published setting: --ppp paleo-mxnet");
  }
  const std::vector<std::string> issuers = {"pytorch", "rooflab", "none"};
  if (!issued_by_.empty() && std::ranges::find(issuers, issued_by_) == issuers.end()) {
    throw_unknown("--issued-by value", issued_by_, issuers);
  }
}

std::optional<PredictionModel> CalibrationOptions::model() const {
  if (model_.empty()) return std::nullopt;
  for (const PredictionModel each :
       {PredictionModel::limit, PredictionModel::ppp, PredictionModel::calibrated}) {
    if (name_of(each) == model_) return each;
  }
  throw_unknown("--model value", model_, {"limit", "ppp", "calibrated"});
}

KnownCalibrations CalibrationOptions::read(const device::Catalog& catalog, bool built_in) const {
  KnownCalibrations known;
  Adder adder(known, catalog);
  for (const std::string& names : files_) {
    for (const std::string& part : split(names, ',')) {
      const std::string file(trim(part));
      if (file.empty()) {
        throw Error(ErrorKind::usage, format("--calibration '{}' names no file", names),
                    "for example --calibration my-gpu.toml");
      }
      known.given.push_back(adder.add(
          with_hint("rooflab probe --save writes such a file, docs/formats/calibration.md is what"
                    " it holds",
                    [&] { return device::read_calibration(read_file(file), file); })));
    }
  }
  if (built_in) {
    for (Calibration& calibration : device::built_in_calibrations()) {
      adder.add(std::move(calibration));
    }
  }
  return known;
}

std::optional<CalibratedModel> CalibrationOptions::model_for(const device::Device& device,
                                                             const KnownCalibrations& known) const {
  std::vector<std::shared_ptr<const Calibration>> candidates;
  for (const auto& calibration : known.all) {
    const device::Device& measured = known.devices.at(calibration->device);
    const bool same_maker = !measured.vendor.empty() && measured.vendor == device.vendor;
    if (measured.id == device.id || same_maker) candidates.push_back(calibration);
  }
  const std::optional<predict::Relative> relative =
      predict::nearest_relative(device, candidates, known.devices);
  if (!relative) {
    if (model() != PredictionModel::calibrated) return std::nullopt;
    throw Error(ErrorKind::usage, format("no calibration fits {}", device.name),
                "rooflab probe --save FILE makes one on the device, or on a relative of it:"
                " --calibration FILE; --model limit does without");
  }
  CalibratedModel model{
      .times = predict::TimeModel(relative->calibration, relative->device, device),
      .relation = relative->same                ? Relation::own
                  : relative->same_architecture ? Relation::same_architecture
                                                : Relation::relative,
      .host = nullptr,
      .note = {}};
  choose_host(model);
  return model;
}

analyze::CalibrationLookup CalibrationOptions::lookup(const device::Catalog& catalog) const {
  using Model = std::shared_ptr<const CalibratedModel>;
  const auto known = std::make_shared<const KnownCalibrations>(read(catalog, true));
  const auto models = std::make_shared<std::map<std::string, Model>>();
  return [options = *this, known, models](const device::Device& device) {
    const auto [found, is_new] = models->try_emplace(device.id);
    if (!is_new) return found->second;
    std::optional<CalibratedModel> model = options.model_for(device, *known);
    if (!model) return found->second;
    if (model->host != nullptr) {
      const HostCosts* const own = costs_of(model->times.calibration(), "rooflab");
      if (own != nullptr) model->host = own;
    }
    found->second = std::make_shared<const CalibratedModel>(*std::move(model));
    return found->second;
  };
}

device::Catalog CalibrationOptions::catalog_with_probed(device::Catalog catalog) const {
  for (device::Device& device : read(catalog, false).uncatalogued_devices()) {
    catalog.add(std::move(device));
  }
  return catalog;
}

void CalibrationOptions::choose_host(CalibratedModel& model) const {
  const Calibration& calibration = model.times.calibration();
  if (issued_by_ == "none") return;
  if (!issued_by_.empty()) {
    model.host = costs_of(calibration, issued_by_);
    if (model.host != nullptr) return;
    std::vector<std::string> issuers;
    for (const HostCosts& each : calibration.hosts) issuers.push_back(each.issuer);
    throw Error(ErrorKind::usage,
                format("the calibration {} has no issue costs of {}", calibration.id, issued_by_),
                issuers.empty() ? "it has none at all: --issued-by none"
                                : format("it has those of {}", join(issuers, ", ")));
  }
  if (runs_what_it_issues(model.times.source())) return;
  if (model.times.carried()) {
    model.note =
        "the host is taken to keep ahead: issue costs belong to the machine that was probed"
        " (--issued-by pytorch uses them)";
    return;
  }
  model.host = costs_of(calibration, "pytorch");
  if (model.host == nullptr && !calibration.hosts.empty()) model.host = &calibration.hosts.front();
  if (model.host == nullptr) {
    model.note = "the host is taken to keep ahead: the calibration has no issue costs";
  }
}

std::vector<std::string> CalibrationOptions::words() const {
  std::vector<std::string> words;
  for (const std::string& files : files_) words.insert(words.end(), {"--calibration", files});
  if (!model_.empty()) words.insert(words.end(), {"--model", model_});
  if (!issued_by_.empty()) words.insert(words.end(), {"--issued-by", issued_by_});
  return words;
}

}  // namespace rooflab::cli
