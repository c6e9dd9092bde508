#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/analyze/predictor.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/describe/parameter.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/predict/memory_model.hpp"
#include "rooflab/predict/predicted_scaling.hpp"
#include "rooflab/record/environment.hpp"

/// Groups of members of requests that choose devices and the basis of their predictions.
namespace rooflab::task {

struct Session;

/// The built-in device files and a folder of device files by the user.
struct DeviceFiles {
  std::string devices_dir = {};

  [[nodiscard]] device::Catalog catalog() const;
};
const Parameters& parameters_of(For<DeviceFiles>);

/// Calibrations by the user, which go before the built-in ones.
struct CalibrationFiles {
  std::vector<std::string> calibration = {};

  /// Reads the user's files, and with `built_in` the built-in ones. Throws Error (input) for a
  /// wrong file.
  [[nodiscard]] analyze::KnownCalibrations read_known(const device::Catalog& catalog,
                                                      bool built_in) const;
  /// Lookup for predictions that are compared with measured times: these and the built-in
  /// calibrations, with the issue costs of Rooflab's worker where the machine was probed. Throws as
  /// read() does.
  [[nodiscard]] analyze::CalibrationLookup lookup(const device::Catalog& catalog) const;
  /// The catalog with the devices that only the calibration files know: for example a CPU, with its
  /// measured figures as roofs. Throws as read() does.
  [[nodiscard]] device::Catalog with_probed(device::Catalog catalog) const;
};
const Parameters& parameters_of(For<CalibrationFiles>);

/// Model of the predicted time, and the issuer of the ops.
struct PredictionBasis {
  std::optional<analyze::PredictionModel> time_model = {};  ///< nullopt: the best available
  std::string issued_by = {};  ///< empty: pytorch, from the nearest calibration that has its costs
  CalibrationFiles calibrations = {};

  /// Throws Error (usage) for an issuer whose costs are not part of the requested time.
  void check() const;
  /// Throws Error (usage) where an issuer was chosen and no time is predicted.
  void check_use(bool predicts_time) const;
  /// The model for predictions on the device; nullopt where no calibration fits. Throws Error
  /// (usage) instead if the calibrated model was requested.
  [[nodiscard]] std::optional<analyze::CalibratedModel> model_for(
      const device::Device& device, const analyze::Predictor& predictor) const;
};
const Parameters& parameters_of(For<PredictionBasis>);

/// PALEO's percent of peak: `0.62`, `62%,80%`, or the name of a published setting.
struct PercentChoice {
  std::string text = {};
  predict::PercentOfPeak percent = {};

  [[nodiscard]] static PercentChoice from_word(std::string_view word, const Parameter& parameter);
  [[nodiscard]] std::string word() const { return text; }
};

/// Finds a device by name: one of the catalog, a probed one by the id of its calibration, or one of
/// this machine (`cpu`, `cuda:0`, `gpu`, `here`) as its device file or its calibration describes
/// it. Throws Error (usage, capability).
[[nodiscard]] device::Device described_device(const std::string& name,
                                              const device::Catalog& catalog,
                                              const analyze::KnownCalibrations& known);
/// Finds the description of a device of this machine by the identity that it reports.
[[nodiscard]] device::Device described_device(const record::DeviceIdentity& identity,
                                              const std::string& name, device::Catalog catalog,
                                              const analyze::KnownCalibrations& known);

/// Expands names to names of one device each: `all`, `a100*` and `a100` become ids of the catalog
/// (Catalog::choose); names of this machine's devices and of probed ones are kept. The session
/// reports how ambiguous names were resolved. Throws Error (usage), once for all names that fit
/// several devices.
[[nodiscard]] std::vector<std::string> device_ids(const std::vector<std::string>& names,
                                                  const device::Catalog& catalog,
                                                  const analyze::KnownCalibrations& known,
                                                  const Session& session);
/// The device of the catalog with a name that a person typed.
[[nodiscard]] device::Device named_device(const std::string& name, const device::Catalog& catalog,
                                          const Session& session);

/// Choice of the link between the devices of a run.
struct LinkChoice {
  std::string link = {};
  predict::AllReduce all_reduce = predict::AllReduce::automatic;

  /// Throws Error (usage) for an unknown link.
  void check() const;
  /// Throws Error (usage) where a link was given and no step exchanges messages with other devices.
  void check_use(bool exchanges) const;
  /// The requested link, else the known one (KnownCalibrations::link_of); nullopt: none is known.
  [[nodiscard]] std::optional<predict::LinkModel> known_model_for(
      const device::Device& device, const analyze::KnownCalibrations& known) const;
  /// The requested link, else the known one. Throws Error (usage) where none is known.
  [[nodiscard]] predict::LinkModel model_for(const device::Device& device,
                                             const analyze::KnownCalibrations& known) const;
};
const Parameters& parameters_of(For<LinkChoice>);

/// Whether a text names a device of this machine: `cpu`, `cuda`, `cuda:N`, `gpu`, `here`.
[[nodiscard]] bool names_device_here(std::string_view text);

/// Parses the name of a device to run on: `cpu`, `cuda:0`. `cuda` and `gpu` are the first GPU;
/// `here` is the first GPU, or the CPU on a machine without a GPU. Throws Error (usage) with
/// `hint`.
[[nodiscard]] std::string run_device(std::string_view text, const std::string& hint);

/// Name of a device to run on: `cpu`, `cuda:0`.
[[nodiscard]] std::string run_name(const record::DeviceIdentity& device);

/// Finds a device, `cpu` or `cuda:0`, among those that a worker can run on. Throws Error
/// (capability) with a list of these.
[[nodiscard]] const record::DeviceIdentity& present_device(const engine::Capabilities& worker,
                                                           std::string_view name);

/// Checks before the first case that the worker has all GPUs in `devices`, so that the error
/// appears only once. Returns the worker's description if a GPU is among them. Throws Error
/// (capability).
engine::Capabilities require_run_devices(std::span<const std::string> devices,
                                         const std::filesystem::path& worker);

/// Precision in which a device of the worker runs a case: `amp` is amp-fp16 on a GPU that does not
/// compute bf16 (record::precision_on).
[[nodiscard]] Precision precision_here(const engine::Capabilities& worker, std::string_view device,
                                       Precision asked);

/// A device that a network is fitted to or cut over: from the catalog or of this machine.
struct TargetDevice {
  std::string name = {};  ///< the user's name for it: `h200`, `cuda:0`
  bool here = false;
  device::Device device = {};
  Bytes memory = {};  ///< memory of the present device, else from its file; at most the limit
  std::shared_ptr<const analyze::CalibratedModel> calibrated = {};  ///< nullptr without one
  bool limits_only = false;  ///< limits are requested instead of expected times

  [[nodiscard]] bool predicts_time() const { return calibrated != nullptr && !limits_only; }
  /// Memory of libraries and driver in addition to the tensors.
  [[nodiscard]] predict::LibraryMemory library(const schedule::Schedule& schedule) const;
  /// Times of every op, by the calibrated model, else by the limit.
  [[nodiscard]] std::vector<double> op_times(const schedule::Schedule& schedule) const;
  [[nodiscard]] Seconds step_time(const schedule::Schedule& schedule) const;
};

/// A number of bytes: `8GB`, `80 GiB`, `8000000000`.
struct ByteSize {
  std::string text = {};
  Bytes bytes = {};

  [[nodiscard]] static ByteSize from_word(std::string_view word, const Parameter& parameter);
  [[nodiscard]] std::string word() const { return text; }
};

/// Choice of devices, their usable memory, and the basis of predictions.
struct TargetChoice {
  std::vector<std::string> device = {};
  std::optional<ByteSize> memory_limit = {};
  DeviceFiles files = {};
  PredictionBasis basis = {};

  /// Throws Error (usage, capability) for a name that cannot be a target.
  void check() const;
  /// The named devices. Asks the worker about GPUs of this machine. Throws Error (capability) when
  /// one is missing or no file describes it, and Error (usage) for an unknown name. `link`: for
  /// steps that exchange data with other devices.
  [[nodiscard]] std::vector<TargetDevice> devices(const Session& session,
                                                  const LinkChoice& link = {}) const;
};
const Parameters& parameters_of(For<TargetChoice>);

}  // namespace rooflab::task
