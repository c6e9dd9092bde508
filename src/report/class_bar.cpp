#include "class_bar.hpp"

#include "analyze/kernel_class.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/chart/chart.hpp"

namespace rooflab::report {

ClassTimes predicted_class_times(const analyze::CaseResult& result) {
  ClassTimes times;
  for (const analyze::LayerRow& row : result.layers) {
    if (row.name == analyze::gaps_row) continue;  // the device waits
    if (row.predicted) times[graph::work_class_of(row.op_class)] += row.predicted->value;
  }
  return times;
}

ClassTimes measured_class_times(const analyze::MeasuredCase& measured) {
  ClassTimes times;
  for (const analyze::ClassTime& each : measured.layers.classes) {
    times[graph::work_class_of(each.op_class)] += each.time_s;
  }
  return times;
}

ClassTimes kernel_class_times(const analyze::ImportedCase& imported) {
  ClassTimes times;
  if (imported.trace && imported.trace->ours.steps.marked) {
    const trace::StepTables& work = imported.trace->step_tables;
    for (const trace::KernelRow& row : work.kernels.rows) {
      times[analyze::work_class_of_kernel(row.name)] +=
          static_cast<double>(row.total_ns) * 1e-9 / static_cast<double>(work.steps);
    }
    return times;
  }
  for (const analyze::KernelGroup& group : imported.kernels) {
    if (group.time_s) times[analyze::work_class_of_kernel(group.name)] += *group.time_s;
  }
  return times;
}

int color_of(graph::WorkClass work_class) { return static_cast<int>(work_class); }

chart::Bar class_bar(std::string label, const ClassTimes& times, double waiting_s,
                     std::string_view unit) {
  chart::Bar bar{.label = std::move(label), .text = {}, .parts = {}};
  double sum_s = 0.0;
  for (const auto& [work_class, time_s] : times) {
    if (time_s <= 0.0) continue;
    sum_s += time_s;
    bar.parts.push_back(
        {std::string(name_of(work_class)), time_s, si(time_s, unit), color_of(work_class)});
  }
  if (waiting_s > 1e-3 * sum_s) {
    sum_s += waiting_s;
    bar.parts.push_back(
        {"pauses of the device", waiting_s, si(waiting_s, unit), chart::neutral_color});
  }
  bar.text = si(sum_s, unit);
  return bar;
}

}  // namespace rooflab::report
