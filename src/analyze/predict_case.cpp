#include "rooflab/analyze/predict_case.hpp"

#include "analyze_notes.hpp"

namespace rooflab::analyze {

schedule::LoweringOptions lowering_on(const device::Device& device,
                                      schedule::LoweringOptions lowering) {
  lowering.precision = device::precision_on(device, lowering.precision);
  return lowering;
}

std::optional<Note> autocast_note(const device::Device& device, Precision asked) {
  if (device::precision_on(device, asked) == asked) return std::nullopt;
  return Note{says.amp_is_fp16};
}

CaseResult predict_case(const schedule::Schedule& schedule, const device::Device& device,
                        const PredictionOptions& options, const CalibratedModel* calibrated) {
  CaseResult result = analyze_case(schedule, memory_of(schedule, device, calibrated), device, {});
  const bool calibrates = !options.model || options.model == PredictionModel::calibrated;
  if (options.percent) add_percent_of_peak(result, schedule, *options.percent);
  if (calibrates && calibrated != nullptr) {
    add_prediction(result, schedule, *calibrated, nullptr, options.timeline);
  }
  if (options.model == PredictionModel::limit) result.prediction_model = PredictionModel::limit;
  return result;
}

CaseResult predict_case(const schedule::Schedule& schedule, const device::Device& device,
                        const PredictionOptions& options, const KnownCalibrations& known) {
  if (options.model == PredictionModel::ppp && !options.percent) {
    throw Error(ErrorKind::usage, "PALEO's model needs a percentage of the peaks",
                "PredictionOptions::percent, for example {.compute = 0.62}");
  }
  std::optional<CalibratedModel> model = known.model_for(device, options.issuer);
  if (model && schedule.exchanges()) model->set(known.link_of(device));
  if (!model && options.model == PredictionModel::calibrated) {
    throw no_calibration_fits(device, "rooflab probe makes one on the device or on a relative");
  }
  return predict_case(schedule, device, options, model ? &*model : nullptr);
}

CaseResult predict_case(const graph::Graph& network, const std::string& device,
                        const schedule::LoweringOptions& lowering,
                        const PredictionOptions& options) {
  const device::Catalog catalog = device::Catalog::built_in();
  const device::Device found = catalog.find(device);
  CaseResult result =
      predict_case(schedule::lower(network, lowering_on(found, lowering)), found, options);
  if (auto note = autocast_note(found, lowering.precision)) {
    result.notes.push_back(*std::move(note));
  }
  return result;
}

}  // namespace rooflab::analyze
