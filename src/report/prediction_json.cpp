#include "prediction_json.hpp"

#include "layer_json.hpp"
#include "rooflab/base/quotient.hpp"

namespace rooflab::report {
namespace {

using predict::KindShare;
using predict::StepTime;

Json explain_json(const analyze::CaseResult& result) {
  const StepTime& step = *result.prediction;
  Json json;
  json["kinds"] = Json::array();
  for (const KindShare& kind : step.kinds) {
    const double share = step.device.value > 0.0 ? kind.time_s / step.device.value : 0.0;
    json["kinds"].push_back({{"kind", kind.kind},
                             {"ops", kind.count},
                             {"time_s", kind.time_s},
                             {"share", share},
                             {"deviation", kind.deviation},
                             {"source", name_of(kind.source)},
                             {"device", kind.device},
                             {"origin", kind.origin.empty() ? Json() : Json(kind.origin)}});
  }
  json["device_s"] = step.device.value;
  json["host_s"] = host_json(result);
  json["notes"] = step.notes;
  return json;
}

}  // namespace

Json host_json(const analyze::CaseResult& result) {
  return result.issued_by.empty() ? Json() : Json(result.prediction->host.value);
}

Json calibration_json(const analyze::CaseResult& result) {
  if (!result.calibration) return nullptr;
  return {{"id", result.calibration->id},
          {"device", result.calibration->device},
          {"relation", name_of(result.calibration->relation)}};
}

void add_prediction_json(const analyze::CaseResult& result, Json& json) {
  const bool calibrated = result.prediction.has_value();
  const bool main = result.prediction_model == analyze::PredictionModel::calibrated && calibrated;
  json["prediction_model"] = name_of(result.prediction_model);
  json["predicted_time_s"] = seconds_json(result.predicted_time());
  json["low_s"] = main ? Json(result.prediction->low.value) : Json();
  json["high_s"] = main ? Json(result.prediction->high.value) : Json();
  json["predicted_device_s"] = calibrated ? Json(result.prediction->device.value) : Json();
  json["predicted_host_s"] = calibrated ? host_json(result) : Json();
  json["host_bound"] = calibrated ? Json(result.prediction->host_bound) : Json();
  json["issued_by"] = result.issued_by.empty() ? Json() : Json(result.issued_by);
  json["calibration"] = calibration_json(result);
  json["prediction_notes"] = calibrated ? Json(result.prediction->notes) : Json::array();
  json["ppp_time_s"] = seconds_json(result.percent_time);
  json["ppp"] =
      result.percent
          ? Json({{"compute", result.percent->compute}, {"memory", result.percent->memory}})
          : Json();
  json["explain"] = calibrated ? explain_json(result) : Json();
}

}  // namespace rooflab::report
