// Rows of own choice beyond the ten networks: other sizes, channels-last order, transformers, ONNX
// files, fp16, batch 1, on an H200 whose host was measured with them.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "accuracy_page.hpp"
#include "base/format.hpp"
#include "default_prediction.hpp"
#include "judged.hpp"
#include "published_rows.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/zoo/zoo.hpp"
#include "unseen_case.hpp"

namespace rooflab::accuracy {
namespace {

const std::string cases_file = "h200_unseen_cases.csv";
const std::string rows_file = "h200_unseen.jsonl";
/// On other machines of the kind; a few rows are missing, which no time was left for.
const std::vector<std::string> again_files = {"h200_unseen_2.jsonl", "h200_unseen_3.jsonl"};
const std::string linear_file = "h200_unseen_linear.csv";

bool has_attention(const graph::Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const graph::Node& node) {
    return std::holds_alternative<graph::Attention>(node.op);
  });
}

/// Groups of the summary, in the order of the page.
class Groups {
 public:
  void add(const std::string& name, bool belongs, const Judged& row) {
    auto group =
        std::ranges::find_if(groups_, [&name](const Group& each) { return each.contains(name); });
    if (group == groups_.end()) {
      group = groups_.emplace(group);
      group->try_emplace(name);
    }
    if (belongs) group->at(name).push_back(row);
  }
  [[nodiscard]] const auto& all() const { return groups_; }

 private:
  using Group = std::map<std::string, std::vector<Judged>>;
  std::vector<Group> groups_;
};

std::string time_cells(double measured_s, const predict::StepTime& step, double error) {
  return format("{:.3f} | {:.3f} | {:.2f} to {:.2f} | {}", measured_s * 1e3, step.time.value * 1e3,
                step.low.value * 1e3, step.high.value * 1e3, signed_percent(error));
}

predict::StepTime step_beside_host(const UnseenCase& one, const schedule::Schedule& schedule,
                                   const analyze::CalibratedModel& model) {
  return analyze::predicted_step(schedule, model, one.host ? &*one.host : nullptr);
}

TEST(Accuracy, OfUnseenRows) {
  if (!std::filesystem::exists(data_path(rows_file))) {
    GTEST_SKIP() << "no " << rows_file << ": nobody measured the cases of " << cases_file << " yet";
  }
  const analyze::CalibratedModel& model = model_for(catalog().find("h200-sxm"));
  std::vector<Judged> times;
  std::vector<Judged> devices;
  std::vector<Judged> memories;
  Groups groups;
  std::string sizes =
      "| pixels | measured ms | predicted ms | 90 % interval | error |\n"
      "| --: | --: | --: | --: | --: |\n";
  for (const UnseenCase& one : unseen_cases(rows_file)) {
    const schedule::Schedule schedule = step_of(one.request);
    const predict::StepTime step = step_beside_host(one, schedule, model);
    Judged row = judged(step, one.measured_s);
    row.roofline = limit_s(schedule, model.times.target()) / one.measured_s - 1.0;
    row.line = format("| {} | {} | {} | {} |\n", one.network, one.text(),
                      time_cells(one.measured_s, step, row.error), least_sure_of(step));
    times.push_back(row);
    const bool training = one.request.phase == Phase::training;
    groups.add("inference", !training, row);
    groups.add("training", training, row);
    groups.add("nchw", !one.request.channels_last, row);
    groups.add("nhwc", one.request.channels_last, row);
    groups.add("batch 1", one.request.batch == 1, row);
    groups.add("transformers", has_attention(schedule.graph), row);
    groups.add("ONNX files", one.from_file, row);
    groups.add("fp16", one.request.precision == Precision::amp_fp16, row);
    groups.add("predicted to wait for the host", step.host_bound(), row);
    groups.add("predicted to keep the device busy", !step.host_bound(), row);
    if (one.network == "resnet50" && one.request.batch == 64 && !training &&
        one.request.precision == Precision::amp) {
      sizes += format("| {} | {} |\n", one.size, time_cells(one.measured_s, step, row.error));
    }

    if (one.device_s) {
      const predict::StepTime alone = predict::predict_step(schedule, model.times);
      Judged device = judged(alone, *one.device_s);
      device.line = format("| {} | {} | {} |\n", one.network, one.text(),
                           time_cells(*one.device_s, alone, device.error));
      devices.push_back(device);
    }

    const double allocated =
        analyze::memory_of(schedule, model.times.target(), &model).allocated_peak.as_double();
    Judged memory;
    memory.error = allocated / one.allocated_bytes - 1.0;
    memory.line = format("| {} | {} | {:.1f} | {:.1f} | {} |\n", one.network, one.text(),
                         one.allocated_bytes / 1e6, allocated / 1e6, signed_percent(memory.error));
    memories.push_back(memory);
  }
  ASSERT_EQ(times.size(), PublishedRows(cases_file).size());
  const Summary all = summary_of(times);
  const Summary memory = summary_of(memories);
  EXPECT_LE(memory.mean, 0.02);

  expect_line_in_page(overview_line("unseen rows on the probed H200", all));
  expect_in_page("unseen summary", summary_table(times, groups.all()));
  expect_in_page(
      "unseen times",
      table_worst_first("| network | case | measured ms | predicted ms | 90 % interval | error | "
                        "least sure of |\n"
                        "| --- | --- | --: | --: | --: | --: | --- |\n",
                        times));
  expect_in_page("unseen device",
                 summary_head() + summary_line("all", summary_of(devices)) + "\n" +
                     table_worst_first("| network | case | measured ms | predicted ms | 90 % "
                                       "interval | error |\n"
                                       "| --- | --- | --: | --: | --: | --: |\n",
                                       devices, 10));
  expect_in_page("unseen sizes", sizes);
  std::string text = format("Mean error {}, median {}, worst {}. The ten worst rows:\n\n",
                            percent(memory.mean), percent(memory.median), percent(memory.worst));
  expect_in_page("unseen memory",
                 text + table_worst_first("| network | case | measured MB | predicted MB | error "
                                          "|\n| --- | --- | --: | --: | --: |\n",
                                          memories, 10));
}

struct MeasuredRow {
  double measured_s = 0.0;
  Judged judged;  ///< with the host of the row
};
using Measurement = std::map<std::string, MeasuredRow>;  ///< keys: network and case

Measurement measurement_of(const std::string& file, const analyze::CalibratedModel& model,
                           std::map<std::string, bool>& waits_for_host) {
  Measurement result;
  for (const UnseenCase& one : unseen_cases(file)) {
    const predict::StepTime step = step_beside_host(one, step_of(one.request), model);
    const std::string key = one.network + ", " + one.text();
    waits_for_host.try_emplace(key, step.host_bound());
    result[key] = {one.measured_s, judged(step, one.measured_s)};
  }
  return result;
}

// How far two measurements of one row are apart says what any prediction of it can reach.
TEST(Accuracy, OfUnseenRowsMeasuredAgain) {
  if (!std::filesystem::exists(data_path(rows_file))) GTEST_SKIP() << "no " << rows_file;
  const analyze::CalibratedModel& model = model_for(catalog().find("h200-sxm"));
  std::map<std::string, bool> waits_for_host;  // as predicted with the first host
  std::vector<Measurement> measurements = {measurement_of(rows_file, model, waits_for_host)};
  for (const std::string& file : again_files) {
    measurements.push_back(measurement_of(file, model, waits_for_host));
  }
  std::string text = summary_head();
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    std::vector<Judged> all;
    for (const auto& [key, row] : measurements[i]) all.push_back(row.judged);
    EXPECT_GE(all.size(), 60U);
    text += summary_line(format("predictions, machine {}", i + 1), summary_of(all));
  }
  text +=
      "\n| measured on machines | rows | mean difference | waiting for the host | keeping the "
      "device busy |\n| --- | --: | --: | --: | --: |\n";
  for (std::size_t i = 0; i < measurements.size(); ++i) {
    for (std::size_t k = i + 1; k < measurements.size(); ++k) {
      std::map<bool, std::vector<double>> apart;
      for (const auto& [key, row] : measurements[i]) {
        const auto other = measurements[k].find(key);
        if (other == measurements[k].end()) continue;
        const double shorter = std::min(row.measured_s, other->second.measured_s);
        const double difference = std::abs(row.measured_s - other->second.measured_s) / shorter;
        apart[waits_for_host.at(key)].push_back(difference);
      }
      std::vector<double> all = apart[true];
      all.insert(all.end(), apart[false].begin(), apart[false].end());
      text += format("| {} and {} | {} | {} | {} | {} |\n", i + 1, k + 1, all.size(),
                     percent(statistics_of(all).mean), percent(statistics_of(apart[true]).mean),
                     percent(statistics_of(apart[false]).mean));
    }
  }
  expect_in_page("unseen again", text);
}

// A device that no built-in calibration was probed on: most of its ops are carried from the H200,
// some were published.
TEST(Accuracy, OfUnseenRowsOnAnH100) {
  const analyze::CalibratedModel& model = model_for(catalog().find("h100-sxm"));
  std::vector<Judged> all;
  Groups groups;
  for (const UnseenCase& one : unseen_cases("h100_unseen.jsonl")) {
    const predict::StepTime step = step_beside_host(one, step_of(one.request), model);
    Judged row = judged(step, one.measured_s);
    row.line = format("| {} | {} | {} | {} |\n", one.network, one.text(),
                      time_cells(one.measured_s, step, row.error), least_sure_of(step));
    all.push_back(row);
    groups.add("predicted to wait for the host", step.host_bound(), row);
    groups.add("predicted to keep the device busy", !step.host_bound(), row);
  }
  expect_in_page("unseen h100",
                 summary_table(all, groups.all()) + "\n" +
                     table_worst_first("| network | case | measured ms | predicted ms | 90 % "
                                       "interval | error | least sure of |\n"
                                       "| --- | --- | --: | --: | --: | --: | --- |\n",
                                       all));
}

/// What the model is to reach; the page shows what it does reach.
TEST(LongAccuracy, UnseenRowsReachTheirAim) {
  if (!std::filesystem::exists(data_path(rows_file))) GTEST_SKIP() << "no " << rows_file;
  const analyze::CalibratedModel& model = model_for(catalog().find("h200-sxm"));
  std::vector<Judged> times;
  for (const UnseenCase& one : unseen_cases(rows_file)) {
    times.push_back(judged(step_beside_host(one, step_of(one.request), model), one.measured_s));
  }
  const Summary all = summary_of(times);
  EXPECT_LE(all.mean, 0.07);
  EXPECT_GE(all.inside, 0.85);
  EXPECT_LE(all.inside, 0.95);
}

TEST(Accuracy, OfWideLinearLayers) {
  const PublishedRows rows(linear_file);
  if (rows.size() == 0) GTEST_SKIP() << linear_file << " has no rows: nobody measured them yet";
  const analyze::CalibratedModel& model = model_for(catalog().find("h200-sxm"));
  std::string text =
      "| rows | columns | type | measured ms | predicted ms | 90 % interval | error |\n"
      "| --: | --: | --- | --: | --: | --: | --: |\n";
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::int64_t count = rows.integer(i, "rows");
    const std::int64_t in = rows.integer(i, "in_features");
    const std::int64_t out = rows.integer(i, "out_features");
    const std::string precision = rows.text(i, "precision");
    const schedule::Schedule schedule =
        schedule::lower(zoo::single_layer(format("linear({},{})", in, out), {count, in}),
                        {.precision = from_name<Precision>(precision).value()});
    // The device alone: the layer's steps were queued in full.
    const predict::StepTime step = predict::predict_step(schedule, model.times);
    const double measured_s = rows.number(i, "device_s");
    const Judged row = judged(step, measured_s);
    EXPECT_LE(std::abs(row.error), 0.3) << out << " columns";
    text += format("| {} of {} | {} | {} | {} |\n", count, in, out, precision,
                   time_cells(measured_s, step, row.error));
  }
  expect_in_page("unseen linear", text);
}

}  // namespace
}  // namespace rooflab::accuracy
