// Times of single networks in five published course studies (studies/).

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "accuracy_page.hpp"
#include "base/format.hpp"
#include "default_prediction.hpp"
#include "judged.hpp"
#include "published_rows.hpp"

namespace rooflab::accuracy {
namespace {

/// Seconds of the kernels of forward pass, loss and backward pass, without gaps and waiting.
double kernels_s(const schedule::Schedule& schedule, const predict::StepTime& step) {
  double sum = 0.0;
  for (std::size_t i = 0; i < schedule.ops.size(); ++i) {
    if (schedule.ops[i].pass != schedule::Pass::optimizer) sum += step.ops[i].device.time_s;
  }
  return sum;
}

TEST(Accuracy, OfPublishedNetworks) {
  const PublishedRows rows("published_networks.csv");
  std::string text =
      "| study | network | device | case | published ms | predicted ms | 90 % interval | error | "
      "remark |\n"
      "| --- | --- | --- | --- | --: | --: | --: | --: | --- |\n";
  std::vector<Judged> comparable;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const device::Device target = catalog().find(rows.text(i, "device"));
    const Phase phase = rows.text(i, "phase") == "training" ? Phase::training : Phase::inference;
    const schedule::Schedule schedule =
        step_of({.network = rows.text(i, "network"),
                 .batch = rows.integer(i, "batch"),
                 .phase = phase,
                 .precision = from_name<Precision>(rows.text(i, "precision")).value()});
    const predict::StepTime step = analyze::predicted_step(schedule, model_for(target));
    const std::string timed = rows.text(i, "timed");
    const double share = timed == "kernels" ? kernels_s(schedule, step) / step.time.value : 1.0;
    const double published_s = rows.number(i, "ms") * 1e-3;
    const Judged row = judged(step, published_s, share);
    const bool compares = timed != "program";
    if (compares) comparable.push_back(row);
    text += format(
        "| {} | {} | {} | {}, {}, batch {} | {:.2f} | {:.2f} | {:.2f} to {:.2f} | {} | "
        "{} |\n",
        rows.text(i, "study"), rows.text(i, "network"), target.name, rows.text(i, "phase"),
        rows.text(i, "precision"), rows.text(i, "batch"), published_s * 1e3,
        step.time.value * share * 1e3, step.low.value * share * 1e3, step.high.value * share * 1e3,
        compares ? signed_percent(row.error) : std::string("-"), rows.text(i, "why"));
  }
  ASSERT_EQ(comparable.size(), 5U);
  EXPECT_LE(summary_of(comparable).mean, 0.5);
  expect_in_page("published networks", text);
}

}  // namespace
}  // namespace rooflab::accuracy
