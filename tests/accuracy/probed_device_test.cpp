// The device that was probed: ten networks of torchvision on an H200, in seven configurations.

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "accuracy_page.hpp"
#include "base/format.hpp"
#include "default_prediction.hpp"
#include "judged.hpp"
#include "published_rows.hpp"

namespace rooflab::accuracy {
namespace {

struct ProbedRow {
  std::string network;
  std::string configuration;
  Judged time;
  Judged memory;
};

std::vector<ProbedRow> judge_h200() {
  const PublishedRows rows("h200_pytorch_eager.csv");
  const analyze::CalibratedModel& model = model_for(catalog().find("h200-sxm"));
  std::vector<ProbedRow> judged_rows;
  bool first_configuration = true;
  std::string first;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::string network = rows.text(i, "model");
    const std::int64_t batch = rows.integer(i, "batch");
    const Phase phase = rows.text(i, "mode") == "train" ? Phase::training : Phase::inference;
    const schedule::Schedule schedule =
        step_of({.network = network,
                 .batch = batch,
                 .phase = phase,
                 .precision = from_name<Precision>(rows.text(i, "precision")).value(),
                 .variant = network == "googlenet" ? "aux" : ""});
    const predict::StepTime step = analyze::predicted_step(schedule, model);
    ProbedRow row;
    row.network = network;
    row.configuration =
        format("{}, {}, batch {}", phase == Phase::training ? "training" : "inference",
               rows.text(i, "precision"), batch);
    const double measured_s = rows.number(i, "median_ms") * 1e-3;
    row.time = judged(step, measured_s);
    row.time.roofline = limit_s(schedule, model.times.target()) / measured_s - 1.0;
    row.time.line =
        format("| {} | {} | {:.3f} | {:.3f} | {:.2f} to {:.2f} | {} | {} |\n", network,
               row.configuration, measured_s * 1e3, step.time.value * 1e3, step.low.value * 1e3,
               step.high.value * 1e3, signed_percent(row.time.error), least_sure_of(step));

    const predict::MemoryEstimate memory =
        analyze::memory_of(schedule, model.times.target(), &model);
    // All rows were measured in one process. From the second configuration on it held two of
    // cuBLAS's workspaces, one of which an inference alone does not make: 32 MiB that are not its.
    if (first.empty()) first = row.configuration;
    first_configuration = first_configuration && row.configuration == first;
    const double kept = phase == Phase::inference && !first_configuration ? 33554432.0 : 0.0;
    const double measured = rows.number(i, "peak_alloc_bytes") - kept;
    row.memory.error = memory.allocated_peak.as_double() / measured - 1.0;
    row.memory.line =
        format("| {} | {} | {:.1f} | {:.1f} | {} |\n", network, row.configuration, measured / 1e6,
               memory.allocated_peak.as_double() / 1e6, signed_percent(row.memory.error));
    judged_rows.push_back(std::move(row));
  }
  return judged_rows;
}

TEST(Accuracy, OfTheProbedDevice) {
  const std::vector<ProbedRow> rows = judge_h200();
  ASSERT_EQ(rows.size(), 70U);
  std::vector<Judged> times;
  std::vector<Judged> memories;
  std::map<std::string, std::vector<Judged>> by_configuration;
  std::map<std::string, std::vector<Judged>> by_network;
  for (const ProbedRow& row : rows) {
    times.push_back(row.time);
    memories.push_back(row.memory);
    by_configuration[row.configuration].push_back(row.time);
    by_network[row.network].push_back(row.time);
  }
  const Summary all = summary_of(times);
  EXPECT_LE(all.mean, 0.052);
  EXPECT_LE(all.median, 0.04);
  EXPECT_LE(all.worst, 0.25);
  EXPECT_GE(all.inside, 0.85);
  const Summary memory = summary_of(memories);
  EXPECT_LE(memory.mean, 0.05);

  expect_line_in_page(overview_line("ten networks on the probed H200", all));
  expect_in_page("h200 summary", summary_table(times, {by_configuration, by_network}));
  expect_in_page(
      "h200 times",
      table_worst_first("| network | case | measured ms | predicted ms | 90 % interval | error | "
                        "least sure of |\n"
                        "| --- | --- | --: | --: | --: | --: | --- |\n",
                        times));
  std::string text = format("Mean error {}, median {}, worst {}. The ten worst rows:\n\n",
                            percent(memory.mean), percent(memory.median), percent(memory.worst));
  text += table_worst_first(
      "| network | case | measured MB | predicted MB | error |\n"
      "| --- | --- | --: | --: | --: |\n",
      memories, 10);
  expect_in_page("h200 memory", text);
}

}  // namespace
}  // namespace rooflab::accuracy
