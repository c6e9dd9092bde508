#include <utility>

#include "analyze_notes.hpp"
#include "rooflab/analyze/comparison.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/analyze/predict_case.hpp"
#include "rooflab/analyze/result_set.hpp"

namespace rooflab::analyze {
namespace {

/// The prediction made anew for the host of the run; nullopt where that is not the same case, or
/// not the same calibration.
std::optional<CaseResult> predicted_anew(const CaseResult& prediction, const record::Record& run,
                                         const device::Catalog& catalog,
                                         const CalibrationLookup& calibrations) {
  const bool has_host = !prediction.issued_by.empty() && prediction.issued_by != graph_issuer;
  if (!prediction.has_interval() || !has_host) return std::nullopt;
  MeasuredCase measured = measured_case_of(run, catalog, std::nullopt, calibrations);
  if (!measured.model || !measured.model->has_host_at_hand() || !is_of(prediction, measured) ||
      !prediction.calibration || prediction.calibration->id != measured.model->calibration->id) {
    return std::nullopt;
  }
  return std::move(measured.model);
}

}  // namespace

Comparison for_the_host_at_hand(Comparison pair, const device::Catalog& catalog,
                                const CalibrationLookup& calibrations) {
  const bool predicts_b = pair.b.prediction != nullptr;
  const Comparand& predicted = predicts_b ? pair.b : pair.a;
  const Comparand& measured = predicts_b ? pair.a : pair.b;
  if (!predicted.prediction || !measured.run) return pair;
  const std::optional<CaseResult> anew =
      predicted_anew(*predicted.prediction, *measured.run, catalog, calibrations);
  if (!anew) return pair;
  const Comparand side = comparand_of(*anew, predicted.source);
  Comparison result = predicts_b ? compare(measured, side) : compare(side, measured);
  result.notes.push_back(
      {says.host_at_hand, {measured.run->issue_costs->cpu}, predicts_b ? "B" : "A"});
  return result;
}

}  // namespace rooflab::analyze
