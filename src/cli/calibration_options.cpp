#include "calibration_options.hpp"

#include <algorithm>
#include <memory>

#include "error_context.hpp"
#include "flag_value.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::cli {
namespace {

using analyze::CalibratedModel;
using analyze::KnownCalibrations;
using analyze::PredictionModel;

}  // namespace

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
  return value_named<PredictionModel>("--model value", model_);
}

analyze::IssuerChoice CalibrationOptions::issuer(const std::string& usual) const {
  return {.name = issued_by_, .usual = usual, .advice = "--issued-by none leaves them out"};
}

KnownCalibrations CalibrationOptions::read(const device::Catalog& catalog, bool built_in) const {
  KnownCalibrations known;
  for (const std::string& names : files_) {
    for (const std::string& part : split(names, ',')) {
      const std::string file(trim(part));
      if (file.empty()) {
        throw Error(ErrorKind::usage, format("--calibration '{}' names no file", names),
                    "for example --calibration my-gpu.toml");
      }
      with_hint(
          "rooflab probe --save writes such a file, docs/formats/calibration.md is what"
          " it holds",
          [&] { known.add_file(file, catalog); });
    }
  }
  if (built_in) known.add_built_in(catalog);
  return known;
}

std::optional<CalibratedModel> CalibrationOptions::model_for(
    const device::Device& device, const KnownCalibrations& known,
    const std::string& usual_issuer) const {
  std::optional<CalibratedModel> fitting = with_hint("it has none at all: --issued-by none", [&] {
    return known.model_for(device, issuer(usual_issuer));
  });
  if (!fitting && model() == PredictionModel::calibrated) {
    throw analyze::no_calibration_fits(
        device,
        "rooflab probe --save FILE makes one on the device, or on a relative of it:"
        " --calibration FILE; --model limit does without");
  }
  return fitting;
}

analyze::CalibrationLookup CalibrationOptions::lookup(const device::Catalog& catalog) const {
  return analyze::lookup_in(std::make_shared<const KnownCalibrations>(read(catalog, true)),
                            issuer("rooflab"));
}

device::Catalog CalibrationOptions::catalog_with_probed(device::Catalog catalog) const {
  for (device::Device& device : read(catalog, false).uncatalogued_devices()) {
    catalog.add(std::move(device));
  }
  return catalog;
}

std::vector<std::string> CalibrationOptions::words() const {
  std::vector<std::string> words;
  for (const std::string& files : files_) words.insert(words.end(), {"--calibration", files});
  if (!model_.empty()) words.insert(words.end(), {"--model", model_});
  if (!issued_by_.empty()) words.insert(words.end(), {"--issued-by", issued_by_});
  return words;
}

}  // namespace rooflab::cli
