#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/analyze/case_result.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/device/calibration.hpp"
#include "rooflab/device/catalog.hpp"

namespace rooflab::analyze {

/// Name of the issuer that replays a CUDA graph.
inline constexpr std::string_view graph_issuer = "graph";

/// Whose issue costs are in a prediction: what a framework's host takes to issue a step's ops.
struct IssuerChoice {
  /// `pytorch` or `rooflab`; `graph`: a CUDA graph is replayed; `none`: the host's launch overhead
  /// is left out. Empty: the usual one, and only on the machine that was probed, because issue
  /// costs belong to its CPU.
  std::string name = {};
  std::string usual = "pytorch";
  std::string advice = {};  ///< how a reader asks for other costs; ends the note about the host
};

/// The calibrations at hand and the devices that they were measured on; of two that fit equally
/// well the first is used. A calibration is read when a device needs it, so that those of other
/// devices cost nothing.
///
///     const KnownCalibrations known = KnownCalibrations::built_in();
///     const std::optional<CalibratedModel> model = known.model_for(t4);
struct KnownCalibrations {
  std::vector<device::LazyCalibration> all;
  /// Devices by id, described as in the catalog; a device that is not in the catalog has the
  /// calibration's id and name and what was measured.
  std::map<std::string, device::Device> devices;
  std::vector<device::Device> described;     ///< all devices of the catalog
  std::vector<device::Device> uncatalogued;  ///< those that the catalog does not know
  std::vector<std::string> given;            ///< devices of the files, in their order

  /// The calibrations compiled into the library, of devices compiled into it.
  [[nodiscard]] static KnownCalibrations built_in();

  /// Adds a calibration and its device, and returns the device's id.
  std::string add(device::Calibration calibration, const device::Catalog& catalog);
  /// The same; it is read at once when the catalog does not know its device.
  std::string add(device::LazyCalibration calibration, const device::Catalog& catalog);
  /// Adds a file of `rooflab probe --save`. Throws Error (input) for a wrong file.
  void add_file(const std::string& file, const device::Catalog& catalog);
  void add_built_in(const device::Catalog& catalog);

  /// The calibration of that very device; nullptr without one.
  [[nodiscard]] const device::Calibration* of(const device::Device& device) const;

  /// What predictions for the device rest on: its own calibration, else that of its nearest
  /// relative of the same maker, and the host's issue costs. nullopt: no calibration fits. Throws
  /// Error (usage) where the calibration has no costs of the issuer that was named; its hint says
  /// which it has, and is empty where it has none.
  [[nodiscard]] std::optional<CalibratedModel> model_for(const device::Device& device,
                                                         const IssuerChoice& issuer = {}) const;

  /// What joins devices of that kind: the times that a calibration of the device holds, or one of
  /// another board of its chip with the same link; else the datasheet's link. What all-reduces and
  /// kernels cost each other comes from a calibration of the device, or of another with the same
  /// link. Its notes say what was taken from where. nullopt: all are missing.
  [[nodiscard]] std::optional<predict::LinkModel> link_of(const device::Device& device) const;
  /// The same by that link's datasheet.
  [[nodiscard]] predict::LinkModel link_of(const device::Device& device,
                                           const device::Link& named) const;
};

/// Answers with `known.model_for(device, issuer)`, made once for each device.
[[nodiscard]] CalibrationLookup lookup_in(std::shared_ptr<const KnownCalibrations> known,
                                          IssuerChoice issuer = {});

/// The Error (usage) for a device that needs a calibration and has none.
[[nodiscard]] Error no_calibration_fits(const device::Device& device, std::string hint);

/// What a prediction is to rest on.
struct PredictionOptions {
  /// Which time is the expected one. nullopt: from a calibration where one fits, else at `percent`
  /// of the peaks where that is given, else none.
  std::optional<PredictionModel> model = {};
  std::optional<predict::PercentOfPeak> percent = {};  ///< for PALEO's model
  IssuerChoice issuer = {};                            ///< whose host costs are in the step
  bool timeline = false;                               ///< keep the times of all ops
};

/// How a network is lowered for a device: `amp` in the type that the device gives it
/// (device::precision_on).
[[nodiscard]] schedule::LoweringOptions lowering_on(const device::Device& device,
                                                    schedule::LoweringOptions lowering);
/// A note for the reader where `amp` was asked for and is fp16 on the device; the same for
/// every device, so that a table shows it once.
[[nodiscard]] std::optional<Note> autocast_note(const device::Device& device, Precision asked);

/// Counts, limit, expected time, memory and verdict of one step of a network on a device, as
/// `rooflab predict` shows them: finds the device, chooses the calibration and the host, predicts.
/// Times are seconds, sizes bytes and work FLOPs of one step of the whole batch.
///
///     const CaseResult result = predict_case(zoo::build("resnet50", {.batch = 64}), "h200",
///                                            {.phase = Phase::training});
///     result.count.parameters;         // elements
///     result.limit.macs;               // multiply-accumulates
///     result.limit.time->value;        // s; nullopt: the device lacks a figure
///     result.predicted_time()->value;  // s; nullopt: no calibration fits
///     result.memory.total;             // bytes
///
/// `device` is any name that Catalog::find understands. Throws Error (usage) for a device that the
/// library does not know, where the calibrated model is asked for and no calibration fits, for
/// PALEO's model without a percentage, and for an issuer whose costs the calibration does not have.
[[nodiscard]] CaseResult predict_case(const graph::Graph& network, const std::string& device,
                                      const schedule::LoweringOptions& lowering = {},
                                      const PredictionOptions& options = {});

/// The same for a device and calibrations of the caller's.
[[nodiscard]] CaseResult predict_case(
    const schedule::Schedule& schedule, const device::Device& device,
    const PredictionOptions& options = {},
    const KnownCalibrations& known = KnownCalibrations::built_in());

/// The same with a model that is there already, for many cases on one device; nullptr: none fits.
/// Memory rests on it whichever time is asked for.
[[nodiscard]] CaseResult predict_case(const schedule::Schedule& schedule,
                                      const device::Device& device,
                                      const PredictionOptions& options,
                                      const CalibratedModel* calibrated);

}  // namespace rooflab::analyze
