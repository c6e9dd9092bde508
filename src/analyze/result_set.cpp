#include "rooflab/analyze/result_set.hpp"

#include "rooflab/analyze/agreement.hpp"

namespace rooflab::analyze {
namespace {

/// Whether a prediction is of what was measured: the same case, the same work, the same device.
bool is_of(const CaseResult& prediction, const MeasuredCase& measured) {
  if (!measured.model || !prediction.predicted_time()) return false;
  const CaseResult& modelled = *measured.model;
  const bool channels_last = prediction.command.find("--channels-last") != std::string::npos;
  return prediction.model == measured.record.identity.model && prediction.batch == modelled.batch &&
         prediction.phase == modelled.phase && prediction.precision == modelled.precision &&
         prediction.device.id == modelled.device.id &&
         channels_last == measured.record.identity.channels_last &&
         prediction.limit.flops() == modelled.limit.flops() &&
         prediction.limit.compulsory_bytes == modelled.limit.compulsory_bytes;
}

}  // namespace

const CaseResult* ResultSet::prediction_of(const MeasuredCase& case_measured) const {
  const CaseResult* found = nullptr;
  for (const CaseResult& prediction : predictions) {
    if (!is_of(prediction, case_measured)) continue;
    if (found != nullptr) return nullptr;
    found = &prediction;
  }
  if (found != nullptr) return found;
  return case_measured.model && case_measured.model->prediction ? &*case_measured.model : nullptr;
}

std::string ResultSet::agreement() const {
  Agreement agreement;
  for (const MeasuredCase& each : measured) agreement.add(each, prediction_of(each));
  return agreement.sentence();
}

}  // namespace rooflab::analyze
