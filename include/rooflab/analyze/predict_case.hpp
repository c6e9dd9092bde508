#pragma once

#include <optional>
#include <string>

#include "rooflab/analyze/calibrations.hpp"
#include "rooflab/analyze/case_result.hpp"

namespace rooflab::analyze {

/// What a prediction is to rest on.
struct PredictionOptions {
  /// Which time is the expected one. nullopt: from a calibration where one fits, else at `percent`
  /// of the peaks where that is given, else none.
  std::optional<PredictionModel> model = {};
  std::optional<predict::PercentOfPeak> percent = {};  ///< for PALEO's model
  IssuerChoice issuer = {};                            ///< whose host costs are in the step
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

/// The same with a model that is there already, for many cases on one device; nullptr: none fits,
/// or none is wanted.
[[nodiscard]] CaseResult predict_case(const schedule::Schedule& schedule,
                                      const device::Device& device,
                                      const PredictionOptions& options,
                                      const CalibratedModel* calibrated);

}  // namespace rooflab::analyze
