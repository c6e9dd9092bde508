#include "rooflab/analyze/predict_case.hpp"

#include "notes/analyze_notes.hpp"
#include "rooflab/analyze/predictor.hpp"

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
                        const PredictionOptions& options) {
  return Predictor::built_in().predict(schedule, device, options);
}

CaseResult predict_case(const schedule::Schedule& schedule, const device::Device& device,
                        const PredictionOptions& options, const KnownCalibrations& known) {
  return Predictor(device::Catalog(std::vector<device::Device>()), known)
      .predict(schedule, device, options);
}

CaseResult predict_case(const graph::Graph& network, const std::string& device,
                        const schedule::LoweringOptions& lowering,
                        const PredictionOptions& options) {
  return Predictor::built_in().predict(network, device, lowering, options);
}

}  // namespace rooflab::analyze
