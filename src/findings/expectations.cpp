// A time compared with what was expected of it: limit_far_below, faster_than_limit,
// outside_interval, no_expectation, first_call. None of these has a worth: a reader must know them.
// above_prediction is worth what a class of ops takes above its prediction.
//
//   limit_far_below    predicted over limit is 4 or more
//   faster_than_limit  the measured median is 95 % of the limit or less
//   outside_interval   the measured median lies outside the 90 % interval of the prediction
//   above_prediction   the kernels of a class of ops in a trace, s of a sum S of all, over their
//                      part of the time K in which kernels run, s K / S (kernels that run at
//                      once share their time), less what is predicted for the class
//                      (analyze/trace_check.cpp): 5 % of the step or more
//   no_expectation     a measured step has neither limit nor prediction
//   first_call         the first call takes 100 median steps or more, and a second
//
// Source: docs/methods/limit.md, prediction.md. When they are wrong: a limit is one of direct
// algorithms, and Winograd or FFT beat it; one case in ten is outside its interval.

#include <algorithm>

#include "rooflab/base/text.hpp"
#include "rules.hpp"

namespace rooflab::findings {

void add_limit_far_below(const NetworkFacts& network, FindingList& found) {
  const std::optional<Seconds> predicted = network.result.predicted_time();
  const std::optional<Seconds>& limit = network.result.limit.time;
  if (!predicted || !limit || limit->value <= 0.0) return;
  const double ratio = predicted->value / limit->value;
  if (ratio < row_of(FindingKind::limit_far_below).least) return;
  found.add(FindingKind::limit_far_below, {ratio, predicted->value, limit->value});
}

void add_faster_than_limit(const analyze::MeasuredCase& measured, FindingList& found) {
  const std::optional<double> ratio = measured.limit_ratio();
  if (!ratio || *ratio > row_of(FindingKind::faster_than_limit).least) return;
  found.add(FindingKind::faster_than_limit, {*measured.median_s(), *measured.limit_s()});
}

void add_outside_interval(const analyze::MeasuredCase& measured, FindingList& found) {
  const std::optional<double> median_s = measured.median_s();
  if (!median_s || !measured.model || !measured.model->has_interval()) return;
  const predict::StepTime& step = *measured.model->prediction;
  if (*median_s >= step.low.value && *median_s <= step.high.value) return;
  found.add(FindingKind::outside_interval, {*median_s, step.low.value, step.high.value});
}

void add_no_expectation(const analyze::MeasuredCase& measured, FindingList& found) {
  if (!measured.median_s() || measured.limit_s() ||
      (measured.model && measured.model->has_interval())) {
    return;
  }
  const std::string& kind = measured.record.environment.device.kind;
  advise(found.add(FindingKind::no_expectation, {measured.record.environment.device.name}, {},
                   std::string()),
         "rooflab probe", {{ChangedMember::device, kind}, {ChangedMember::save, kind + ".toml"}});
}

void add_first_call(const analyze::MeasuredCase& measured, FindingList& found) {
  constexpr double worth_saying_s = 1.0;
  const std::optional<double> median_s = measured.median_s();
  if (!median_s || *median_s <= 0.0 || !measured.record.timing) return;
  const double first_s = measured.record.timing->first_call_s;
  const double ratio = first_s / *median_s;
  if (ratio < row_of(FindingKind::first_call).least || first_s < worth_saying_s) return;
  found.add(FindingKind::first_call, {first_s, ratio});
}

void add_above_prediction(const TraceFacts& trace, FindingList& found) {
  // Compared with another network, or another batch, no time says anything.
  const auto& check = trace.imported.time_check;
  if (!check || !check->passes() || check->assumes) return;
  for (const analyze::ClassCheck& each : trace.imported.time_check->classes) {
    if (!each.predicted_s) continue;
    const double running_ns = trace.role_ns(trace::StepRole::kernel);
    const double own_s = each.time_s * std::min(1.0, trace.kernel_share(running_ns));
    const double above_s = own_s - *each.predicted_s;
    if (above_s / (trace.step_ns * seconds_per_ns) < row_of(FindingKind::above_prediction).least) {
      continue;
    }
    found.add(FindingKind::above_prediction,
              {name_of(each.op_class), each.time_s, *each.predicted_s},
              std::min(above_s, trace.kernels_left_s(found)));
  }
}

}  // namespace rooflab::findings
