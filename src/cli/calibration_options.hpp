#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "rooflab/analyze/case_result.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/device/catalog.hpp"

namespace rooflab::cli {

/// The calibrations at hand, the user's files first, and the devices that they were measured on.
struct KnownCalibrations {
  std::vector<std::shared_ptr<const device::Calibration>> all;
  /// By id: as the catalog describes them; of a device that is not in the catalog, with the
  /// calibration's id and name and what was measured.
  std::map<std::string, device::Device> devices;
  std::vector<std::string> uncatalogued;  ///< ids of `devices` that the catalog does not know
  std::vector<std::string> given;         ///< devices of the user's files, in their order

  /// The calibration of that very device; nullptr: there is none.
  [[nodiscard]] const device::Calibration* of(const device::Device& device) const;
  [[nodiscard]] std::vector<device::Device> uncatalogued_devices() const;
};

/// Flags that say what a prediction rests on.
class CalibrationOptions {
 public:
  /// `--calibration`, for every command that uses calibrations.
  void add_files_to(Command command);
  /// `--model` and `--issued-by` besides.
  void add_to(Command command);

  [[nodiscard]] bool any_given() const { return !files_.empty(); }

  /// Throws Error (usage) for a value that a flag does not take.
  void check(bool percent_given) const;
  /// The model asked for; nullopt: the best that there is.
  [[nodiscard]] std::optional<analyze::PredictionModel> model() const;

  /// The user's files; `built_in`: and the built-in ones. Throws Error (input) for a wrong file.
  [[nodiscard]] KnownCalibrations read(const device::Catalog& catalog, bool built_in) const;

  /// What predictions for the device rest on: its own calibration, else that of its nearest
  /// relative of the same maker. nullopt where there is none: then an Error (usage) if the
  /// calibrated model was asked for.
  [[nodiscard]] std::optional<analyze::CalibratedModel> model_for(
      const device::Device& device, const KnownCalibrations& known) const;

  /// What predictions beside measured times rest on: the files and the built-in calibrations, with
  /// the issue costs of Rooflab's own worker where the machine was probed. Throws as read() does.
  [[nodiscard]] analyze::CalibrationLookup lookup(const device::Catalog& catalog) const;
  /// The catalog and the devices of the files that it does not know: a CPU, say, with what was
  /// measured as its roofs. Throws as read() does.
  [[nodiscard]] device::Catalog catalog_with_probed(device::Catalog catalog) const;

  /// The flags that were given, for the command line of one case.
  [[nodiscard]] std::vector<std::string> words() const;

 private:
  void choose_host(analyze::CalibratedModel& model) const;

  std::vector<std::string> files_;
  std::string model_;
  std::string issued_by_;
};

}  // namespace rooflab::cli
