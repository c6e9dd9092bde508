// Measured steps of 2 s.

#include "../predict/toy_device.hpp"
#include "finding_cases.hpp"
#include "record/record_notes.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::findings {
namespace measured_case {

using analyze::MeasuredCase;

MeasuredCase measured() {
  MeasuredCase result;
  result.record.identity.command = "rooflab measure net --device cuda:0 --batch 8";
  result.record.environment.device.kind = "cuda";
  result.record.timing.emplace();
  result.record.timing->steps_s = {2.0, 2.0, 2.0};
  result.steps = statistics_of(result.record.timing->steps_s);
  return result;
}

MeasuredCase beside_model(double limit_s, double low_s, double high_s) {
  MeasuredCase result = measured();
  analyze::CaseResult& model = result.model.emplace();
  model.device = predict::toy_device();
  model.limit.time = Seconds{limit_s};
  model.prediction_model = analyze::PredictionModel::calibrated;
  model.prediction.emplace();
  model.prediction->time = Seconds{1.0};
  model.prediction->low = Seconds{low_s};
  model.prediction->high = Seconds{high_s};
  return result;
}

std::vector<Finding> host_wait(bool present) {
  MeasuredCase result = measured();
  result.record.timing->device_s = present ? 1.5 : 1.95;
  return findings_of(result);
}

std::vector<Finding> data_loading(bool present) {
  MeasuredCase result = measured();
  const double waiting_s = present ? 0.5 : 0.05;
  result.record.timing->data_s = {waiting_s, waiting_s, waiting_s};
  result.with_data_s = 2.5;
  return findings_of(result);
}

// 10 of 20 samples below the boost clock, at three quarters of it in the mean.
std::vector<Finding> clocks_held_down(bool present) {
  MeasuredCase result = beside_model(1.0, 1.0, 3.0);
  result.model->device.boost_clock = device::Figure{.value = 2e9};
  result.samples.emplace();
  result.samples->sm_clock_hz = {1.5e9, 1.5e9, 1.5e9};
  if (present) result.warnings.push_back({record::says.clocks_held_down, {10, 20, "sw_power_cap"}});
  return findings_of(result);
}

std::vector<Finding> faster_than_limit(bool present) {
  return findings_of(beside_model(present ? 2.5 : 2.0, 1.0, 3.0));
}

std::vector<Finding> outside_interval(bool present) {
  return findings_of(beside_model(1.0, 0.5, present ? 1.5 : 3.0));
}

std::vector<Finding> no_expectation(bool present) {
  return findings_of(present ? measured() : beside_model(1.0, 1.0, 3.0));
}

std::vector<Finding> first_call(bool present) {
  MeasuredCase result = measured();
  result.record.timing->first_call_s = present ? 300.0 : 100.0;
  return findings_of(result);
}

// The optimizer takes 0.4 of a predicted 1 s, so 0.8 of the measured 2; its limit is 0.1.
std::vector<Finding> optimizer(bool present) {
  MeasuredCase result = beside_model(0.9, 1.0, 3.0);
  analyze::LayerRow row;
  row.name = present ? "(optimizer)" : "(loss)";
  row.predicted = Seconds{0.4};
  row.time = Seconds{0.1};
  result.model->layers = {row};
  return findings_of(result);
}

}  // namespace measured_case

std::vector<FindingCase> measured_cases() {
  using namespace measured_case;
  return {{FindingKind::host_wait, "measurement", host_wait, 0.5},
          {FindingKind::data_loading, "measurement", data_loading, 0.5},
          {FindingKind::clocks_held_down, "measurement", clocks_held_down, 0.5},
          {FindingKind::faster_than_limit, "measurement", faster_than_limit, std::nullopt},
          {FindingKind::outside_interval, "measurement", outside_interval, std::nullopt},
          {FindingKind::no_expectation, "measurement", no_expectation, std::nullopt},
          {FindingKind::first_call, "measurement", first_call, std::nullopt},
          {FindingKind::optimizer, "measurement", optimizer, 0.7}};
}

}  // namespace rooflab::findings
