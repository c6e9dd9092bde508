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

#include "rooflab/analyze/measured_layers.hpp"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "rooflab/base/format.hpp"
#include "rooflab/base/statistics.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::analyze {
namespace {

/// Classes of nodes by name.
class Classifier {
 public:
  explicit Classifier(const graph::Graph* network) {
    if (network == nullptr) return;
    for (const graph::Node& node : network->nodes) {
      classes_.emplace(node.name, op_class_of(node.op));
    }
  }

  [[nodiscard]] OpClass operator()(const std::string& name) const {
    const auto found = classes_.find(name);
    return found == classes_.end() ? op_class_of_row(name) : found->second;
  }

 private:
  std::unordered_map<std::string, OpClass> classes_;
};

LayerSum layer_sum_of(const record::Record& record) {
  const record::LayerTimes& times = *record.layers;
  LayerSum sum;
  sum.sum_s = times.sum_s;
  sum.whole_s = times.whole_s;
  if (record.timing && !record.timing->steps_s.empty()) {
    sum.median_s = statistics_of(record.timing->steps_s).median;
  }
  for (const record::NodeTiming& node : times.nodes) {
    sum.forward_sum_s += node.forward_s;
    if (node.synchronized_s) ++sum.waits;
  }
  sum.forward_whole_s = times.forward_whole_s;
  sum.synchronized_sum_s = times.synchronized_sum_s;
  return sum;
}

std::vector<ClassTime> class_times(const std::vector<MeasuredLayer>& layers,
                                   const Classifier& classify, const CaseResult* model) {
  std::map<OpClass, ClassTime> by_class;
  double measured = 0.0;
  for (const MeasuredLayer& layer : layers) {
    ClassTime& of_class = by_class[layer.op_class];
    of_class.op_class = layer.op_class;
    ++of_class.layers;
    of_class.time_s += layer.time_s();
    measured += layer.time_s();
  }
  // The limit's parts come from the model's own rows: a view that was not timed has one too.
  if (model != nullptr && model->limit.time && model->limit.time->value > 0.0) {
    for (auto& [op_class, of_class] : by_class) of_class.limit_s = 0.0;
    for (const LayerRow& row : model->layers) {
      const auto of_class = by_class.find(classify(row.name));
      if (of_class == by_class.end() || !row.time || !of_class->second.limit_s) continue;
      *of_class->second.limit_s += row.time->value;
    }
    for (auto& [op_class, of_class] : by_class) {
      of_class.limit_share = *of_class.limit_s / model->limit.time->value;
    }
  }
  std::vector<ClassTime> classes;
  for (auto& [op_class, of_class] : by_class) {
    of_class.share = measured > 0.0 ? of_class.time_s / measured : 0.0;
    classes.push_back(of_class);
  }
  std::ranges::stable_sort(classes, std::ranges::greater{}, &ClassTime::time_s);
  return classes;
}

}  // namespace

std::optional<double> LayerSum::synchronisation_s() const {
  if (!synchronized_sum_s || !forward_whole_s) return std::nullopt;
  return *synchronized_sum_s - *forward_whole_s;
}

MeasuredLayers measured_layers_of(const record::Record& record, const graph::Graph* network,
                                  const CaseResult* model) {
  MeasuredLayers result;
  if (!record.layers) return result;
  const Classifier classify(network);
  std::unordered_map<std::string, const LayerRow*> rows;
  if (model != nullptr) {
    for (const LayerRow& row : model->layers) rows.emplace(row.name, &row);
  }
  for (const record::NodeTiming& node : record.layers->nodes) {
    MeasuredLayer layer;
    layer.name = node.node;
    layer.op = node.op;
    layer.op_class = classify(node.node);
    layer.forward_s = node.forward_s;
    layer.backward_s = node.backward_s;
    layer.synchronized_s = node.synchronized_s;
    layer.allocated_delta_bytes = node.allocated_delta_bytes;
    if (const auto row = rows.find(node.node); row != rows.end()) {
      if (row->second->counted) {
        layer.flops = row->second->flops();
        layer.bytes = row->second->bytes;
      }
      layer.limit = row->second->time;
      layer.bound = row->second->bound;
    }
    result.layers.push_back(std::move(layer));
  }
  result.classes = class_times(result.layers, classify, model);
  result.sum = layer_sum_of(record);
  return result;
}

std::vector<std::string> explain(const LayerSum& sum) {
  std::vector<std::string> sentences;
  const double between = sum.between_s();
  if (between >= 0.0) {
    sentences.push_back(format(
        "The layers sum to {}, {:.1f} % of the {} that the same step takes from its first op to its"
        " last: {} lie between ops.",
        si(sum.sum_s, "s"), sum.whole_s > 0.0 ? sum.sum_s / sum.whole_s * 100.0 : 0.0,
        si(sum.whole_s, "s"), si(between, "s")));
  } else {
    sentences.push_back(format(
        "The layers sum to {}, {} more than the {} that the same step takes from its first op to"
        " its last: ops overlap, or timing each one costs that much.",
        si(sum.sum_s, "s"), si(-between, "s"), si(sum.whole_s, "s")));
  }
  if (sum.median_s) {
    sentences.push_back(
        format("Without events between the ops the step takes {}.", si(*sum.median_s, "s")));
  }
  if (const std::optional<double> extra = sum.synchronisation_s();
      extra && *extra > 0.0 && sum.waits > 0) {
    sentences.push_back(format(
        "Waiting for the device after every op, as layerwise timing by the host's clock does, the"
        " forward pass takes {} instead of {}: {} are synchronisation, {} for each of {} op{}.",
        si(*sum.synchronized_sum_s, "s"), si(*sum.forward_whole_s, "s"), si(*extra, "s"),
        si(*extra / sum.waits, "s"), sum.waits, sum.waits == 1 ? "" : "s"));
  }
  return sentences;
}

}  // namespace rooflab::analyze
