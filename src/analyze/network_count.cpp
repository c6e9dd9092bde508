#include "rooflab/analyze/network_count.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string_view>

#include "describe/field_table.hpp"
#include "predict/pass_fields.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/predict/memory_model.hpp"

namespace rooflab::analyze {
namespace {

using graph::Graph;
using graph::Node;
using graph::ValueId;
using graph::ValueKind;

/// A Cast of the precision rewrite is part of its user, not a layer's output.
bool is_layer_output(const Node& node) {
  return !graph::is_view(node.op) && !std::holds_alternative<graph::Cast>(node.op);
}

/// Nodes that torchinfo sees as a layer with parameters: a module without modules in it that owns
/// some, `conv1` of `conv1.weight`. nn.MultiheadAttention does not call its own modules.
class ParameterLayers {
 public:
  explicit ParameterLayers(const Graph& network) : network_(network) {
    for (const graph::AttentionModule& module : graph::find_attention_modules(network)) {
      not_called_.insert(module.nodes.begin(), module.nodes.end());
    }
  }

  [[nodiscard]] bool contains(std::size_t node) const {
    if (not_called_.contains(static_cast<graph::NodeId>(node))) return false;
    const Node& layer = network_.nodes[node];
    return std::ranges::any_of(layer.inputs, [&](ValueId id) {
      const graph::Value& value = network_.value(id);
      return value.kind == ValueKind::parameter && owns(layer.name, value.name);
    });
  }

 private:
  static bool owns(std::string_view layer, std::string_view parameter) {
    return parameter.size() > layer.size() && parameter.starts_with(layer) &&
           parameter[layer.size()] == '.' && parameter.rfind('.') == layer.size();
  }

  const Graph& network_;
  std::set<graph::NodeId> not_called_;
};

/// Nodes of a recording that describe ops of another pass than the forward one.
std::vector<bool> nodes_of_backward(const schedule::Schedule& schedule) {
  const bool recorded = !schedule.lives.empty();
  std::vector<bool> others(schedule.graph.nodes.size(), recorded);
  for (const schedule::ScheduledOp& op : schedule.ops) {
    if (op.node < 0 || op.pass != schedule::Pass::forward) continue;
    others[static_cast<std::size_t>(op.node)] = false;
  }
  return others;
}

}  // namespace

NetworkCount count_network(const schedule::Schedule& schedule) {
  const Graph& network = schedule.graph;
  NetworkCount count;
  count.parameters = network.parameter_elements();
  for (const graph::Value& value : network.values) {
    if (value.kind == ValueKind::parameter) count.parameter_bytes += Bytes(value.type.bytes());
    if (value.kind == ValueKind::input) count.input_bytes += Bytes(value.type.bytes());
  }
  std::map<std::string, std::int64_t> uncounted;
  const std::vector<bool> in_backward = nodes_of_backward(schedule);
  const ParameterLayers parameter_layers(network);
  Bytes of_parameter_layers;
  for (std::size_t i = 0; i < network.nodes.size(); ++i) {
    const Node& node = network.nodes[i];
    if (node.training_only && schedule.phase == Phase::inference) continue;
    ++count.computing_nodes;
    const auto* opaque = std::get_if<graph::Opaque>(&node.op);
    if (opaque != nullptr && !opaque->flops) {
      ++uncounted[graph::name_of(node.op)];
    } else {
      ++count.counted_nodes;
    }
    if (!is_layer_output(node) || in_backward[i]) continue;
    const bool has_parameters = parameter_layers.contains(i);
    for (const ValueId id : node.outputs) {
      const Bytes bytes(network.type(id).bytes());
      count.activation_bytes += bytes;
      if (has_parameters) of_parameter_layers += bytes;
    }
  }
  count.parameter_layer_bytes = of_parameter_layers;
  for (const auto& [op, times] : uncounted) count.uncounted.push_back({op, times});
  return count;
}

NetworkSummary summarize_network(const schedule::Schedule& schedule, std::string model,
                                 std::optional<int> depth, std::vector<Note> notes) {
  const predict::NetworkLimit costs = predict::limit_of(schedule, device::Device{});
  const predict::MemoryEstimate memory = predict::estimate_memory(schedule);
  return {.model = std::move(model),
          .batch = schedule.graph.batch(),
          .phase = schedule.phase,
          .precision = schedule.precision,
          .totals = {.work = costs,
                     .count = count_network(schedule),
                     .saved = memory.saved_activations,
                     .allocated_peak = memory.allocated_peak,
                     .cache = memory.cache},
          .notes = std::move(notes),
          .layers = layer_table(schedule, costs, depth)};
}

namespace {

/// An op without a rule has no figures: null, never zero.
template <auto member>
auto known(const LayerRow& row) {
  const auto value = std::invoke(member, row);
  return row.counted ? std::optional(value) : std::nullopt;
}

/// A row that has this figure is counted.
void read_macs(LayerRow& row, const JsonValue& from) {
  codec::decode(row.macs, from);
  row.counted = true;
}

void read_torchinfo_pass(NetworkCount& count, const JsonValue& from) {
  count.parameter_layer_bytes = Bytes(from.integer() / 2);
}

std::optional<std::vector<std::int64_t>> output_dims(const LayerRow& row) {
  return row.output_shape ? std::optional(row.output_shape->dims()) : std::nullopt;
}

void read_output(LayerRow& row, const JsonValue& from) {
  std::vector<std::int64_t> dims;
  codec::decode(dims, from);
  row.output_shape = graph::Shape(std::move(dims));
}

std::optional<predict::Bound> known_bound(const LayerRow& row) {
  return row.time ? std::optional(row.bound) : std::nullopt;
}

}  // namespace

std::span<const Field> fields_of(For<LayerRow>) {
  static constexpr auto fields = field_table(
      field<&LayerRow::name>("node"), field<&LayerRow::op>(),
      field<&LayerRow::op_class>().or_default(), field<&output_dims, &read_output>("output_shape"),
      field<&LayerRow::parameters>(), field<&known<&LayerRow::macs>, &read_macs>("macs"),
      field<&known<&LayerRow::flops>>("flop"),
      field<&known<&LayerRow::matrix_flops>, &LayerRow::matrix_flops>("matrix_flop"),
      field<&known<&LayerRow::vector_flops>, &LayerRow::vector_flops>("vector_flop"),
      field<&known<&LayerRow::data_gradient_flops>, &LayerRow::data_gradient_flops>(
          "data_gradient_flop"),
      field<&known<&LayerRow::weight_gradient_flops>, &LayerRow::weight_gradient_flops>(
          "weight_gradient_flop"),
      field<&known<&LayerRow::compulsory_bytes>, &LayerRow::compulsory_bytes>("compulsory_bytes"),
      field<&known<&LayerRow::intensity>>("intensity_flop_per_byte"), predict::pass_fields,
      field<&LayerRow::time>("limit_s"), field<&LayerRow::limit_share>(),
      field<&known_bound, &LayerRow::bound>("bound"), field<&LayerRow::predicted>("predicted_s"),
      field<&LayerRow::deviation>("deviation_share").sparse());
  return fields;
}

std::span<const Field> fields_of(For<UncountedOp>) {
  return members<&UncountedOp::op, &UncountedOp::count>;
}

std::span<const Field> fields_of(For<NetworkCount>) {
  static constexpr auto fields = field_table(
      field<&NetworkCount::parameters>(),
      field<&NetworkCount::parameter_bytes>("parameter_bytes").or_default(),
      field<&NetworkCount::input_bytes>("input_bytes").or_default(),
      field<&NetworkCount::activation_bytes>("activation_bytes").or_default(),
      field<&NetworkCount::torchsummary_pass>("torchsummary_pass_bytes"),
      field<&NetworkCount::torchinfo_pass, &read_torchinfo_pass>("torchinfo_pass_bytes"),
      members<&NetworkCount::counted_nodes, &NetworkCount::computing_nodes>,
      field<&NetworkCount::coverage>("coverage_share"), field<&NetworkCount::uncounted>());
  return fields;
}

std::span<const Field> fields_of(For<NetworkTotals>) {
  static constexpr Field fields[] = {part<&NetworkTotals::work>(), part<&NetworkTotals::count>(),
                                     field<&NetworkTotals::saved>("saved_activation_bytes"),
                                     field<&NetworkTotals::allocated_peak>("allocated_peak_bytes"),
                                     field<&NetworkTotals::cache>("cache_bytes").sparse()};
  return fields;
}

std::span<const Field> fields_of(For<NetworkSummary>) {
  return members<&NetworkSummary::model, &NetworkSummary::batch, &NetworkSummary::phase,
                 &NetworkSummary::precision, &NetworkSummary::totals, &NetworkSummary::notes,
                 &NetworkSummary::layers>;
}

}  // namespace rooflab::analyze
