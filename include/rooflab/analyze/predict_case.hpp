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

/// Selects the issue costs of a prediction: the host time in which a framework issues a step's ops.
struct IssuerChoice {
  /// `pytorch` or `rooflab`; `graph`: a CUDA graph is replayed; `none`: the host's launch overhead
  /// is left out. Empty: the usual one, and only on the machine that was probed, because issue
  /// costs belong to its CPU.
  std::string name = {};
  std::string usual = "pytorch";
  std::string advice = {};  ///< how to ask for other costs; ends the note about the host

  bool operator==(const IssuerChoice&) const = default;
};

/// The known calibrations and the devices that they were measured on. If two fit equally well, the
/// first is used. A calibration is read only when a device needs it.
///
///     const KnownCalibrations known = KnownCalibrations::built_in();
///     const std::optional<CalibratedModel> model = known.model_for(t4);
struct KnownCalibrations {
  std::vector<device::LazyCalibration> all = {};
  /// Devices by id, described as in the catalog; a device that is not in the catalog has the
  /// calibration's id, name and measured figures.
  std::map<std::string, device::Device> devices = {};
  std::vector<device::Device> described = {};     ///< all devices of the catalog
  std::vector<device::Device> uncatalogued = {};  ///< devices that the catalog does not know
  std::vector<std::string> given = {};            ///< ids of the files' devices, in order

  /// The calibrations compiled into the library, of devices compiled into it.
  [[nodiscard]] static KnownCalibrations built_in();

  /// Adds a calibration and its device, and returns the device's id. Rows without a model are
  /// fitted: up to a second for some hundred rows of a kind. Throws Error (input) for such rows of
  /// other columns than their op has (predict::columns_of).
  std::string add(device::Calibration calibration, const device::Catalog& catalog);
  /// Adds a calibration that is read when it is needed, or at once if the catalog does not know its
  /// device. Returns the device's id.
  std::string add(device::LazyCalibration calibration, const device::Catalog& catalog);
  /// Adds a file of `rooflab probe --save`. Throws Error (input) for a wrong file.
  void add_file(const std::string& file, const device::Catalog& catalog);
  void add_built_in(const device::Catalog& catalog);

  /// The calibration of exactly this device; nullptr without one.
  [[nodiscard]] const device::Calibration* of(const device::Device& device) const;

  /// The model for predictions on the device: its own calibration, else that of its nearest
  /// relative by the same maker, and the host's issue costs. nullopt: no calibration fits. Throws
  /// Error (usage) where the calibration has no costs of the named issuer; the hint lists the
  /// issuers that it has, or is empty.
  [[nodiscard]] std::optional<CalibratedModel> model_for(const device::Device& device,
                                                         const IssuerChoice& issuer = {}) const;

  /// The link between devices of this kind: measured times from a calibration of the device, or of
  /// another board with its chip and link; else the datasheet's link. Slowdowns of all-reduces and
  /// kernels that overlap come from a calibration of the device, or of another with the same link.
  /// Notes name the sources. nullopt: no source is known.
  [[nodiscard]] std::optional<predict::LinkModel> link_of(const device::Device& device) const;
  /// The link `named` between devices of this kind, with its datasheet's times. Slowdowns by
  /// overlap are included where `named` is the device's own link.
  [[nodiscard]] predict::LinkModel link_of(const device::Device& device,
                                           const device::Link& named) const;
};

/// Returns a lookup that makes `known.model_for(device, issuer)` once per device, for several
/// threads.
[[nodiscard]] CalibrationLookup lookup_in(std::shared_ptr<const KnownCalibrations> known,
                                          IssuerChoice issuer = {});

/// Returns the Error (usage) for a device without the calibration that it needs.
[[nodiscard]] Error no_calibration_fits(const device::Device& device, std::string hint);

/// Options of a prediction.
struct PredictionOptions {
  /// Model of the expected time. nullopt: calibrated where a calibration fits, else at `percent` of
  /// the peaks where that is given, else no expected time.
  std::optional<PredictionModel> model = {};
  std::optional<predict::PercentOfPeak> percent = {};  ///< for PALEO's model
  IssuerChoice issuer = {};                            ///< issuer whose host costs are in the step
  bool timeline = false;                               ///< keep the times of all ops
};

/// Options for lowering on a device: `amp` becomes the device's type (device::precision_on).
[[nodiscard]] schedule::LoweringOptions lowering_on(const device::Device& device,
                                                    schedule::LoweringOptions lowering);
/// Note where `amp` was asked for and is fp16 on the device. It does not name the device, so that a
/// table shows it once.
[[nodiscard]] std::optional<Note> autocast_note(const device::Device& device, Precision asked);

/// Counts, limit, expected time, memory and verdict of one step of a network on a device, as
/// `rooflab predict` shows them: finds the device, chooses the calibration and the host, predicts.
/// It is Predictor::built_in().predict(): threads may call it, and what it worked out is kept.
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

/// Predicts one step on a device that the caller gives. Throws as predict_case() for a network, and
/// Error (usage) for a step in `amp` that was not lowered for the device (lowering_on()).
[[nodiscard]] CaseResult predict_case(const schedule::Schedule& schedule,
                                      const device::Device& device,
                                      const PredictionOptions& options = {});
/// Predicts one step with calibrations that the caller gives, whose models are made for this call:
/// Predictor keeps them.
[[nodiscard]] CaseResult predict_case(const schedule::Schedule& schedule,
                                      const device::Device& device,
                                      const PredictionOptions& options,
                                      const KnownCalibrations& known);

/// Predicts one step with a model that was made before, for many cases on one device; nullptr: no
/// calibration fits. The memory estimate uses the model for every kind of time.
[[nodiscard]] CaseResult predict_case(const schedule::Schedule& schedule,
                                      const device::Device& device,
                                      const PredictionOptions& options,
                                      const CalibratedModel* calibrated);

}  // namespace rooflab::analyze
