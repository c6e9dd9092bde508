// Published training times of 2015 to 2018 on Maxwell and Pascal cards, of which none was measured
// op by op.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "accuracy_page.hpp"
#include "base/format.hpp"
#include "default_prediction.hpp"
#include "judged.hpp"
#include "published_rows.hpp"
#include "rooflab/predict/limit.hpp"

namespace rooflab::accuracy {
namespace {

/// Those tables measure forward and backward, without loss and optimizer.
bool is_timed(const schedule::ScheduledOp& op) {
  return op.pass != schedule::Pass::optimizer && op.pass != schedule::Pass::loss;
}

/// Predicted seconds and limit of the passes that were timed.
struct Passes {
  double predicted_s = 0.0;
  double limit_s = 0.0;
};

Passes passes_of(const schedule::Schedule& schedule, const predict::StepTime& step,
                 const device::Device& device) {
  const predict::NetworkLimit limit = predict::limit_of(schedule, device);
  Passes passes;
  for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
    if (!is_timed(schedule.ops[i])) continue;
    passes.predicted_s += step.ops[i].device.time_s;
    if (limit.ops[i].time) passes.limit_s += limit.ops[i].time->value;
  }
  return passes;
}

TEST(Accuracy, OfDevicesThatWereNotProbed) {
  const PublishedRows rows("devices_not_probed.csv");
  std::vector<Judged> times;
  std::map<std::string, std::vector<Judged>> by_device;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const device::Device target = catalog().find(rows.text(i, "device"));
    const schedule::Schedule schedule = step_of({.network = rows.text(i, "model"),
                                                 .batch = rows.integer(i, "batch"),
                                                 .phase = Phase::training});
    const predict::StepTime step = analyze::predicted_step(schedule, model_for(target));
    const Passes passes = passes_of(schedule, step, target);
    const double share = passes.predicted_s / step.time.value;
    const double measured = rows.number(i, "total_ms") * 1e-3;
    Judged row = judged(step, measured, share);
    row.roofline = passes.limit_s / measured - 1.0;
    row.line = format("| {} | {} | {} | {:.1f} | {:.1f} | {:.0f} to {:.0f} | {} | {} | {} |\n",
                      rows.text(i, "model"), target.name, rows.text(i, "batch"), measured * 1e3,
                      passes.predicted_s * 1e3, step.low.value * share * 1e3,
                      step.high.value * share * 1e3, signed_percent(row.error),
                      signed_percent(row.roofline), rows.text(i, "source"));
    times.push_back(row);
    by_device[target.name].push_back(row);
  }
  const Summary all = summary_of(times);
  EXPECT_LE(all.mean, 0.164);  // what version 0.1 reached
  EXPECT_GE(all.inside, 0.85);
  expect_line_in_page(overview_line("training on four cards of 2015 to 2018", all));
  expect_in_page("carried summary", summary_table(times, {by_device}));
  expect_in_page(
      "carried times",
      table_worst_first("| network | device | batch | measured ms | predicted ms | 90 % interval | "
                        "error | limit | source |\n"
                        "| --- | --- | --: | --: | --: | --: | --: | --: | --- |\n",
                        times));
}

}  // namespace
}  // namespace rooflab::accuracy
