#pragma once

#include <optional>
#include <string>
#include <vector>

#include "command.hpp"
#include "rooflab/analyze/calibrations.hpp"
#include "rooflab/analyze/case_result.hpp"
#include "rooflab/device/catalog.hpp"

namespace rooflab::cli {

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
  [[nodiscard]] analyze::KnownCalibrations read(const device::Catalog& catalog,
                                                bool built_in) const;

  /// What predictions for the device rest on. nullopt where no calibration fits: then an Error
  /// (usage) if the calibrated model was asked for.
  [[nodiscard]] std::optional<analyze::CalibratedModel> model_for(
      const device::Device& device, const analyze::KnownCalibrations& known,
      const std::string& usual_issuer = analyze::IssuerChoice().usual) const;

  /// What predictions beside measured times rest on: the files and the built-in calibrations, with
  /// the issue costs of Rooflab's own worker where the machine was probed. Throws as read() does.
  [[nodiscard]] analyze::CalibrationLookup lookup(const device::Catalog& catalog) const;
  /// The catalog and the devices of the files that it does not know: a CPU, say, with what was
  /// measured as its roofs. Throws as read() does.
  [[nodiscard]] device::Catalog catalog_with_probed(device::Catalog catalog) const;

  /// The flags that were given, for the command line of one case.
  [[nodiscard]] std::vector<std::string> words() const;

 private:
  [[nodiscard]] analyze::IssuerChoice issuer(const std::string& usual) const;

  std::vector<std::string> files_;
  std::string model_;
  std::string issued_by_;
};

}  // namespace rooflab::cli
