#include "rooflab/task/device_choice.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>

#include "base/format.hpp"
#include "describe/parameter_list.hpp"
#include "monitor/host.hpp"
#include "predict/paleo.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/task/network.hpp"
#include "rooflab/task/session.hpp"

namespace rooflab::task {
namespace {

using analyze::CalibratedModel;
using analyze::KnownCalibrations;
using analyze::PredictionModel;

/// `0.62` or `62%`, above 0 and up to 1.
double fraction(std::string_view text, const Parameter& parameter) {
  const bool percent = text.ends_with('%');
  const std::optional<double> number =
      parse_number(trim(percent ? text.substr(0, text.size() - 1) : text));
  const double value = number ? (percent ? *number / 100.0 : *number) : 0.0;
  if (value > 0.0 && value <= 1.0) return value;
  parameter.refuse("fractions of the peak above 0 and up to 1", text);
}

}  // namespace

const Parameters& parameters_of(For<DeviceFiles>) {
  static const Parameters all = {aside({parameter<&DeviceFiles::devices_dir>(
      "DIR", "folder of device files, in addition to the built-in ones",
      {.example = "devices", .completes = Completion::folder, .predictable = true})})};
  return all;
}

const Parameters& parameters_of(For<CalibrationFiles>) {
  static const Parameters all = {parameter<&CalibrationFiles::calibration>(
      "FILE,...", "calibrations of probe --save, before the built-in ones",
      {.example = "my-gpu.toml", .completes = Completion::file, .predictable = true})};
  return all;
}

const Parameters& parameters_of(For<PredictionBasis>) {
  static const Parameters all = {
      parameter<&PredictionBasis::time_model>(
          "M", "how time is predicted",
          {.default_text = "the best available", .example = "calibrated"}),
      parameter<&PredictionBasis::issued_by>(
          "WHO", "launch overhead to include (graph: one CUDA graph per step)",
          {.default_text = "pytorch", .words = {"pytorch", "rooflab", "graph", "none"}}),
      part<&PredictionBasis::calibrations>(),
  };
  return all;
}

device::Catalog DeviceFiles::catalog() const {
  device::Catalog catalog = device::Catalog::built_in();
  if (devices_dir.empty()) return catalog;
  with_hint("docs/formats/device.md describes device files",
            [&] { catalog.add_folder(devices_dir); });
  return catalog;
}

KnownCalibrations CalibrationFiles::read_known(const device::Catalog& catalog,
                                               bool built_in) const {
  KnownCalibrations known;
  for (const std::string& file : calibration) {
    with_hint(
        "rooflab probe --save writes such a file, docs/formats/calibration.md is what it holds",
        [&] { known.add_file(file, catalog); });
  }
  if (built_in) known.add_built_in(catalog);
  return known;
}

analyze::CalibrationLookup CalibrationFiles::lookup(const device::Catalog& catalog) const {
  return analyze::lookup_in(std::make_shared<const KnownCalibrations>(read_known(catalog, true)),
                            {.name = {}, .usual = "rooflab", .advice = {}});
}

device::Catalog CalibrationFiles::with_probed(device::Catalog catalog) const {
  const KnownCalibrations known = read_known(catalog, false);
  for (const device::Device& device : known.uncatalogued) catalog.add(device);
  return catalog;
}

void PredictionBasis::check() const {
  if (issued_by.empty() || !time_model || *time_model == PredictionModel::calibrated) return;
  throw Error(ErrorKind::usage,
              format("{} {} has no part in {} {}: that time has no costs of the host",
                     flag_of<&PredictionBasis::issued_by>(), issued_by,
                     flag_of<&PredictionBasis::time_model>(), name_of(*time_model)),
              format("{} calibrated has them", flag_of<&PredictionBasis::time_model>()));
}

void PredictionBasis::check_use(bool predicts_time) const {
  if (predicts_time || issued_by.empty()) return;
  const std::string flag = flag_of<&PredictionBasis::issued_by>();
  throw Error(
      ErrorKind::usage,
      format("{} {}: no time is predicted here, so no host has a part in it", flag, issued_by),
      format("leave {} out, or name a device with peaks for this precision", flag));
}

std::optional<CalibratedModel> PredictionBasis::model_for(
    const device::Device& device, const analyze::Predictor& predictor) const {
  const std::string without = format("{} none", flag_of<&PredictionBasis::issued_by>());
  const std::shared_ptr<const CalibratedModel> fitting =
      with_hint(format("it has none at all: {}", without), [&] {
        return predictor.model_for(
            device, {.name = issued_by, .advice = format("{} leaves it out", without)});
      });
  if (!fitting && time_model == PredictionModel::calibrated) {
    throw analyze::no_calibration_fits(
        device,
        format("rooflab probe --save FILE makes one on the device, or on a relative of it:"
               " {} FILE; {} limit does without",
               flag_of<&CalibrationFiles::calibration>(), flag_of<&PredictionBasis::time_model>()));
  }
  return fitting ? std::optional(*fitting) : std::nullopt;
}

PercentChoice PercentChoice::from_word(std::string_view word, const Parameter& parameter) {
  PercentChoice choice{std::string(word), {}};
  if (predict::names_paleo_preset(word)) {
    choice.percent = predict::paleo_preset(word).percent;
    return choice;
  }
  const std::vector<std::string> parts = split(word, ',');
  if (parts.size() > 2) parameter.refuse("one or two fractions", word);
  choice.percent.compute = fraction(parts[0], parameter);
  if (parts.size() == 2) choice.percent.memory = fraction(parts[1], parameter);
  return choice;
}

device::Device described_device(const std::string& name, const device::Catalog& catalog,
                                const KnownCalibrations& known) {
  if (names_device_here(name)) {
    const std::string here = run_device(name, "");
    const record::DeviceIdentity identity =
        here == "cpu" ? monitor::cpu_identity()
                      : present_device(engine::describe(require_torch_worker()), here);
    return described_device(identity, name, catalog, known);
  }
  const std::vector<device::Device>& probed = known.uncatalogued;
  const auto named = std::ranges::find(probed, name, &device::Device::id);
  return named == probed.end() ? catalog.find(name) : *named;
}

device::Device described_device(const record::DeviceIdentity& identity, const std::string& name,
                                device::Catalog catalog, const KnownCalibrations& known) {
  for (const device::Device& device : known.uncatalogued) catalog.add(device);
  std::optional<Note> note;
  std::optional<device::Device> described = analyze::find_device(catalog, identity, note);
  if (described) return *std::move(described);
  const bool cpu = identity.kind == "cpu";
  const std::string calibration = flag_of<&CalibrationFiles::calibration>();
  throw Error(
      ErrorKind::capability,
      format("no {} describes {} ({})", cpu ? "calibration" : "device file", name, identity.name),
      cpu ? format("rooflab probe --device cpu --save cpu.toml measures it; then {} cpu.toml",
                   calibration)
          : format("{} DIR adds device files (docs/formats/device.md), {} FILE what rooflab"
                   " probe --save measured of it",
                   flag_of<&DeviceFiles::devices_dir>(), calibration));
}

std::vector<std::string> device_ids(const std::vector<std::string>& names,
                                    const device::Catalog& catalog, const KnownCalibrations& known,
                                    const Session& session) {
  const auto stays = [&](const std::string& name) {
    return names_device_here(name) ||
           std::ranges::find(known.uncatalogued, name, &device::Device::id) !=
               known.uncatalogued.end();
  };
  std::vector<std::string> of_catalog;
  std::ranges::copy_if(names, std::back_inserter(of_catalog), std::not_fn(stays));
  (void)catalog.choose(of_catalog);  // all that is wrong, at once
  std::vector<std::string> ids;
  for (const std::string& name : names) {
    if (stays(name)) {
      ids.push_back(name);
      continue;
    }
    for (const device::ChosenDevice& chosen : catalog.choose({&name, 1})) {
      ids.push_back(chosen.device.id);
      if (chosen.note) session.say(chosen.note->text());
    }
  }
  return ids;
}

device::Device named_device(const std::string& name, const device::Catalog& catalog,
                            const Session& session) {
  const std::vector<device::ChosenDevice> chosen = catalog.choose({&name, 1});
  if (chosen.size() > 1) {
    throw Error(ErrorKind::usage, format("'{}' are {} devices, one is wanted", name, chosen.size()),
                format("say which: {} or another", chosen.front().device.id));
  }
  if (chosen.front().note) session.say(chosen.front().note->text());
  return chosen.front().device;
}

const Parameters& parameters_of(For<LinkChoice>) {
  static const Parameters all = {
      parameter<&LinkChoice::link>("L", "link between the devices: nvlink4, pcie4, 10gbe, ...",
                                   {.default_text = "measured or published, else the datasheet's",
                                    .example = "10gbe",
                                    .completes = Completion::link,
                                    .predictable = true}),
      parameter<&LinkChoice::all_reduce>(
          "A", "how gradients are summed; automatic is the faster one", {.example = "ring"}),
  };
  return all;
}

void LinkChoice::check() const {
  if (!link.empty()) (void)device::link_from_name(link);
}

void LinkChoice::check_use(bool exchanges) const {
  const std::vector<std::string> words = words_of(*this);
  if (exchanges || words.empty()) return;
  throw Error(ErrorKind::usage,
              format("{}: no step here exchanges messages with other devices", words.front()),
              "a recorded step of one of several devices does");
}

std::optional<predict::LinkModel> LinkChoice::known_model_for(
    const device::Device& device, const KnownCalibrations& known) const {
  return link.empty() ? known.link_of(device) : known.link_of(device, device::link_from_name(link));
}

predict::LinkModel LinkChoice::model_for(const device::Device& device,
                                         const KnownCalibrations& known) const {
  if (std::optional<predict::LinkModel> model = known_model_for(device, known)) {
    return *std::move(model);
  }
  throw Error(ErrorKind::usage, format("the interconnect of {} is not known", device.name),
              format("{} 10gbe, or a calibration with `rooflab probe --links` (devices --links)",
                     flag_of<&LinkChoice::link>()));
}

}  // namespace rooflab::task
