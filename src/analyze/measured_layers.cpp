// Layer times and what they sum to.
//
// Three figures look alike and are not:
//
//   sum          each op between its own two events, added up (forward and backward)
//   whole        one step between its first and its last event: the sum and what lies between ops,
//                where the device waits for the host or changes from one kernel to the next
//   synchronised the forward pass by the host's clock, waiting for the device after every op: what
//                hooks around modules measure. Every wait drains the queue, so that each op pays
//                its launch and the wake-up of the host: with N ops it exceeds the free-running
//                forward pass by about N times that cost, however fast the device is.
//
// The layerwise times of published studies that exceed the time of the network are of the third
// kind.

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/format.hpp"
#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/base/statistics.hpp"
#include "row_classes.hpp"

namespace rooflab::analyze {
namespace {

std::vector<ClassTime> class_times(const std::vector<MeasuredLayer>& layers, const auto& class_of,
                                   const CaseResult* model) {
  std::map<OpClass, ClassTime> by_class;
  for (const MeasuredLayer& layer : layers) {
    ClassTime& of_class = by_class[layer.op_class];
    of_class.op_class = layer.op_class;
    ++of_class.layers;
    of_class.time_s += layer.time_s();
    of_class.time_share += layer.time_share.value_or(0.0);
  }
  // The limit's parts come from the model's own rows: a view that was not timed has one too.
  if (model != nullptr && model->limit.time && model->limit.time->value > 0.0) {
    std::map<OpClass, double> limits_s;
    for (const LayerRow& row : model->layers) {
      if (row.time) limits_s[class_of(row.name)] += row.time->value;
    }
    for (auto& [op_class, of_class] : by_class) {
      of_class.limit_s = limits_s[op_class];
      of_class.limit_share = *of_class.limit_s / model->limit.time->value;
    }
  }
  std::vector<ClassTime> classes;
  for (auto& [op_class, of_class] : by_class) classes.push_back(of_class);
  std::ranges::stable_sort(classes, std::ranges::greater{}, &ClassTime::time_s);
  return classes;
}

/// The layers' sum and the whole step, in the columns of a layer: forward has the whole step's
/// time.
std::vector<MeasuredLayer> totals_of(const record::LayerTimes& times, const CaseResult* model) {
  MeasuredLayer sum{.timing = {.node = "sum of layers",
                               .forward_s = times.forward_sum_s(),
                               .synchronized_s = times.synchronized_sum_s},
                    .time_share = 1.0};
  for (const record::NodeTiming& node : times.nodes) {
    if (node.backward_s)
      sum.timing.backward_s = sum.timing.backward_s.value_or(0.0) + *node.backward_s;
  }
  if (model != nullptr) sum.limit = model->limit.time;
  return {sum, MeasuredLayer{.timing = {.node = "whole step",
                                        .forward_s = times.whole_s,
                                        .synchronized_s = times.forward_whole_s}}};
}

}  // namespace

std::optional<double> MeasuredLayer::limit_ratio() const {
  return limit ? quotient(time_s(), limit->value) : std::nullopt;
}

MeasuredLayers measured_layers_of(const record::Record& record, const graph::Graph* network,
                                  const CaseResult* model) {
  MeasuredLayers result;
  if (!record.layers) return result;
  const RowClasses classes(network);
  const auto class_of = [&](const std::string& name) { return classes.of(name); };
  std::unordered_map<std::string, const LayerRow*> rows;
  if (model != nullptr) {
    for (const LayerRow& row : model->layers) rows.emplace(row.name, &row);
  }
  double sum_s = 0.0;
  for (const record::NodeTiming& node : record.layers->nodes) {
    MeasuredLayer layer{.timing = node, .op_class = class_of(node.node)};
    sum_s += layer.time_s();
    if (const auto row = rows.find(node.node); row != rows.end()) {
      if (row->second->counted) {
        layer.flops = row->second->flops();
        layer.bytes = row->second->compulsory_bytes;
      }
      layer.limit = row->second->time;
      layer.bound = row->second->bound;
    }
    result.layers.push_back(std::move(layer));
  }
  for (MeasuredLayer& layer : result.layers) {
    layer.time_share = quotient(layer.time_s(), sum_s);
  }
  result.totals = totals_of(*record.layers, model);
  result.classes = class_times(result.layers, class_of, model);
  return result;
}

std::vector<std::string> explain(const record::LayerTimes& times, std::optional<double> median_s) {
  std::vector<std::string> sentences;
  const double between = times.between_s();
  if (between >= 0.0) {
    sentences.push_back(format(
        "Layer times add up to {}: {:.1f} % of the {} from the step's first op to its last. {} lie"
        " between layers.",
        si(times.sum_s, "s"), quotient(times.sum_s, times.whole_s).value_or(0.0) * 100.0,
        si(times.whole_s, "s"), si(between, "s")));
  } else {
    sentences.push_back(format(
        "Layer times add up to {}: {} more than the {} from the step's first op to its last. Ops"
        " overlap, or timing each one costs that much.",
        si(times.sum_s, "s"), si(-between, "s"), si(times.whole_s, "s")));
  }
  if (median_s) {
    sentences.push_back(format("Layers were timed in a separate run; the plain step takes {}.",
                               si(*median_s, "s")));
  }
  const std::optional<double> extra = times.synchronization_s();
  if (const auto waits = static_cast<double>(times.waits()); extra && *extra > 0.0 && waits > 0.0) {
    sentences.push_back(format(
        "When the host waits for the device after every op, as layerwise timing by its clock does,"
        " the forward pass takes {} instead of {}: {} are synchronisation, {} for each of {} op{}.",
        si(*times.synchronized_sum_s, "s"), si(*times.forward_whole_s, "s"), si(*extra, "s"),
        si(*extra / waits, "s"), waits, waits == 1.0 ? "" : "s"));
  }
  return sentences;
}

}  // namespace rooflab::analyze
