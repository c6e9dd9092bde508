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
#include "rooflab/base/figure_key.hpp"
#include "rooflab/base/parameter.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/device/catalog.hpp"
#include "rooflab/device/device.hpp"
#include "rooflab/engine/worker.hpp"
#include "rooflab/predict/memory_model.hpp"
#include "rooflab/predict/scaling.hpp"
#include "rooflab/record/environment.hpp"

/// The groups of members that say which devices are meant and what predictions for them rest on.
namespace rooflab::task {

struct Session;

/// The built-in device files and a folder of the user's.
struct DeviceFiles {
  std::string devices_dir;

  [[nodiscard]] device::Catalog catalog() const;
};
const Parameters& parameters_of(For<DeviceFiles>);

/// Calibrations of the user's, before the built-in ones.
struct CalibrationFiles {
  std::vector<std::string> calibration;

  /// The user's files; `built_in`: and the built-in ones. Throws Error (input) for a wrong file.
  [[nodiscard]] analyze::KnownCalibrations read(const device::Catalog& catalog,
                                                bool built_in) const;
  /// What predictions beside measured times rest on: these and the built-in calibrations, with the
  /// issue costs of Rooflab's own worker where the machine was probed. Throws as read() does.
  [[nodiscard]] analyze::CalibrationLookup lookup(const device::Catalog& catalog) const;
  /// The catalog and the devices of the files that it does not know: a CPU, say, with what was
  /// measured as its roofs. Throws as read() does.
  [[nodiscard]] device::Catalog with_probed(device::Catalog catalog) const;
};
const Parameters& parameters_of(For<CalibrationFiles>);

/// Which time is predicted, and whose host issues the ops.
struct PredictionBasis {
  std::optional<analyze::PredictionModel> time_model;  ///< nullopt: the best that there is
  std::string issued_by;  ///< empty: pytorch, of the nearest calibration that has its costs
  CalibrationFiles calibrations;

  /// Throws Error (usage) for a host whose costs are in no time that was asked for.
  void check() const;
  /// Throws Error (usage) where a host was chosen and no time is predicted.
  void check_use(bool predicts_time) const;
  /// What predictions for the device rest on. nullopt where no calibration fits: then an Error
  /// (usage) if the calibrated model was asked for.
  [[nodiscard]] std::optional<analyze::CalibratedModel> model_for(
      const device::Device& device, const analyze::KnownCalibrations& known) const;
};
const Parameters& parameters_of(For<PredictionBasis>);

/// PALEO's percent of peak: `0.62`, `62%,80%`, or the name of a published setting.
struct PercentChoice {
  std::string text;
  predict::PercentOfPeak percent;

  [[nodiscard]] static PercentChoice from_word(std::string_view word, const Parameter& parameter);
  [[nodiscard]] std::string word() const { return text; }
};

/// The device that a name stands for: one of the catalog, a probed one by the id of its
/// calibration, or one that is here (`cpu`, `cuda:0`, `gpu`, `here`) as its device file or its
/// calibration describes it. Throws Error (usage, capability).
[[nodiscard]] device::Device described_device(const std::string& name,
                                              const device::Catalog& catalog,
                                              const analyze::KnownCalibrations& known);
/// The same of one that is here, as it names itself.
[[nodiscard]] device::Device described_device(const record::DeviceIdentity& identity,
                                              const std::string& name, device::Catalog catalog,
                                              const analyze::KnownCalibrations& known);

/// The names of a list as names of one device each: `all`, `a100*` and `a100` become ids of the
/// catalog (Catalog::choose); those of devices here and of probed ones stay. What a name was taken
/// for is said to the session. Throws Error (usage), once for all names that fit several devices.
[[nodiscard]] std::vector<std::string> device_ids(const std::vector<std::string>& names,
                                                  const device::Catalog& catalog,
                                                  const analyze::KnownCalibrations& known,
                                                  const Session& session);
/// The one device of the catalog that a person means.
[[nodiscard]] device::Device named_device(const std::string& name, const device::Catalog& catalog,
                                          const Session& session);

/// What joins the devices of a run.
struct LinkChoice {
  std::string link;
  predict::AllReduce all_reduce = predict::AllReduce::automatic;

  /// Throws Error (usage) for an unknown link.
  void check() const;
  /// Throws Error (usage) where it was given and no step exchanges messages with other devices.
  void check_use(bool exchanges) const;
  /// The link asked for, else what is known (KnownCalibrations::link_of); nullopt: nothing is.
  [[nodiscard]] std::optional<predict::LinkModel> known_model_for(
      const device::Device& device, const analyze::KnownCalibrations& known) const;
  /// The same. Throws Error (usage) where nothing is known.
  [[nodiscard]] predict::LinkModel model_for(const device::Device& device,
                                             const analyze::KnownCalibrations& known) const;
};
const Parameters& parameters_of(For<LinkChoice>);

/// Whether a device is named by where it is: `cpu`, `cuda`, `cuda:N`, `gpu`, `here`.
[[nodiscard]] bool names_device_here(std::string_view text);

/// A device to run on: `cpu`, `cuda:0`. `cuda` and `gpu` are the first GPU; `here` is that, or the
/// CPU on a machine without a GPU. Throws Error (usage) with that hint.
[[nodiscard]] std::string run_device(std::string_view text, const std::string& hint);

/// Its name where devices to run on are named: `cpu`, `cuda:0`.
[[nodiscard]] std::string run_name(const record::DeviceIdentity& device);

/// The device of that name, `cpu` or `cuda:0`, among those that a worker can run on. Throws Error
/// (capability), which lists them.
[[nodiscard]] const record::DeviceIdentity& present_device(const engine::Capabilities& worker,
                                                           std::string_view name);

/// A GPU that is not there fails every case alike: better said once, before the first. Asks the
/// worker, where there is any GPU among them, and returns its answer. Throws Error (capability).
engine::Capabilities require_run_devices(std::span<const std::string> devices,
                                         const std::filesystem::path& worker);

/// The precision that a case runs in on a device of the worker: `amp` is amp-fp16 on a GPU that
/// does not compute bf16 (record::precision_on).
[[nodiscard]] Precision precision_here(const engine::Capabilities& worker, std::string_view device,
                                       Precision asked);

/// A device that a network is fitted to or cut over: of the catalog, or one that is here.
struct TargetDevice {
  std::string name;  ///< the user's name for it: `h200`, `cuda:0`
  bool here = false;
  device::Device device;
  Bytes memory;  ///< its own where it is here, else its file's; the limit where that is less
  std::shared_ptr<const analyze::CalibratedModel> calibrated;  ///< nullptr without one
  bool limits_only = false;  ///< limits are asked for in place of expected times

  [[nodiscard]] bool predicts_time() const { return calibrated != nullptr && !limits_only; }
  /// What libraries and driver hold there beside the tensors.
  [[nodiscard]] predict::LibraryMemory library(const schedule::Schedule& schedule) const;
  /// Times of every op, by the calibrated model, else by the limit.
  [[nodiscard]] std::vector<double> op_times(const schedule::Schedule& schedule) const;
  [[nodiscard]] Seconds step_time(const schedule::Schedule& schedule) const;
};

/// A number of bytes: `8GB`, `80 GiB`, `8000000000`.
struct ByteSize {
  std::string text;
  Bytes bytes;

  [[nodiscard]] static ByteSize from_word(std::string_view word, const Parameter& parameter);
  [[nodiscard]] std::string word() const { return text; }
};

/// Which devices, how much of their memory, and what predictions rest on.
struct TargetChoice {
  std::vector<std::string> device;
  std::optional<ByteSize> memory_limit;
  DeviceFiles files;
  PredictionBasis basis;

  /// Throws Error (usage, capability) for a name that can be no target.
  void check() const;
  /// Those named. Asks the worker about GPUs that are here: Error (capability) when one is not
  /// there, or no file describes it; Error (usage) for an unknown name. `link`: for steps that
  /// exchange with other devices.
  [[nodiscard]] std::vector<TargetDevice> devices(const Session& session,
                                                  const LinkChoice& link = {}) const;
};
const Parameters& parameters_of(For<TargetChoice>);

}  // namespace rooflab::task
