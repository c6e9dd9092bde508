// Chains of ops so small that the device is never the limit: what is left is the host.
//
// An op that cannot be chained on its own result alternates with views (concatenation and slice),
// whose cost, measured by a chain of views, is subtracted. The backward of a chain costs its nodes
// and, once, the start of the engine: a chain of one node tells the latter.
//
// Equal ops in a row find their code and data in the caches, a network's ops do not: the links of
// all chains in turn tell how much more they cost.

#include "host_grid.hpp"

#include <algorithm>
#include <map>

#include "rooflab/graph/graph.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::engine {
namespace {

using graph::GraphBuilder;
using graph::ValueId;

constexpr int chain_length = 100;
constexpr std::string_view single = "single";    // a chain of one op
constexpr std::string_view in_turn = "in turn";  // the links of all chains, one of each in turn
constexpr std::string_view whole_module = "attention_module";

/// One link of a chain: from a value to one of the same shape.
using Link = ValueId (*)(GraphBuilder&, ValueId);

struct Chain {
  std::string_view host_class;
  std::vector<std::int64_t> shape;
  Link link;
};

ValueId affine(GraphBuilder& b, ValueId x, graph::Op op, std::int64_t width, bool statistics) {
  std::vector<ValueId> operands = {x, b.parameter("weight", {width}), b.parameter("bias", {width})};
  if (statistics) {
    operands.push_back(b.buffer("running_mean", {width}));
    operands.push_back(b.buffer("running_var", {width}));
  }
  return b.add(std::move(op), std::move(operands), "op");
}

const std::vector<Chain>& chains() {
  static const std::vector<std::int64_t> image = {1, 8, 4, 4};
  static const std::vector<std::int64_t> matrix = {16, 16};
  static const std::vector<Chain> all = {
      {"conv2d", image,
       [](GraphBuilder& b, ValueId x) {
         return b.conv(x, "op", {.out_channels = 8, .kernel = 3, .padding = 1, .bias = false});
       }},
      {"batch_norm", image,
       [](GraphBuilder& b, ValueId x) { return affine(b, x, graph::BatchNorm{}, 8, true); }},
      {"layer_norm", matrix,
       [](GraphBuilder& b, ValueId x) { return affine(b, x, graph::LayerNorm{}, 16, false); }},
      {"linear", matrix, [](GraphBuilder& b, ValueId x) { return b.linear(x, "op", 16); }},
      {"matmul", matrix,
       [](GraphBuilder& b, ValueId x) {
         return b.add(graph::MatMul{}, {x, b.parameter("other", {16, 16})}, "op");
       }},
      {"attention",
       {1, 2, 8, 16},
       [](GraphBuilder& b, ValueId x) {
         return b.add(graph::Attention{}, {x, x, x}, "op");
       }},
      {whole_module,
       {1, 8, 16},
       [](GraphBuilder& b, ValueId x) { return graph::add_attention_module(b, x, 2); }},
      {"unary", matrix,
       [](GraphBuilder& b, ValueId x) { return b.unary(x, graph::UnaryFunction::relu, "op"); }},
      {"binary", matrix,
       [](GraphBuilder& b, ValueId x) { return b.binary(x, x, graph::BinaryFunction::add, "op"); }},
      {"softmax", matrix,
       [](GraphBuilder& b, ValueId x) { return b.add(graph::Softmax{}, {x}, "op"); }},
      {"view", matrix,
       [](GraphBuilder& b, ValueId x) {
         return b.transpose(x, {1, 0}, "op");
       }},
      {"copy", matrix,
       [](GraphBuilder& b, ValueId x) {
         return b.add(graph::Contiguous{}, {b.transpose(x, {1, 0}, "turn")}, "op");
       }},
      {"cat", matrix,
       [](GraphBuilder& b, ValueId x) {
         const ValueId both = b.concat({x, x}, 0, "op");
         return b.add(graph::Slice{{0}, {0}, {16}, {1}}, {both}, "half");
       }},
      {"cast", matrix,
       [](GraphBuilder& b, ValueId x) {
         const ValueId narrow = b.add(graph::Cast{DType::bf16}, {x}, "narrow");
         return b.add(graph::Cast{DType::f32}, {narrow}, "op");
       }},
      {"pool", image,
       [](GraphBuilder& b, ValueId x) {
         return b.pool(x, graph::PoolKind::max, "op", {.kernel = 3, .stride = 1, .padding = 1});
       }},
      {"reduce",
       {1, 8, 1, 1},
       [](GraphBuilder& b, ValueId x) {
         return b.add(graph::Reduce{graph::ReduceFunction::mean, {2, 3}, true}, {x}, "op");
       }},
      {"dropout", matrix, [](GraphBuilder& b, ValueId x) { return b.dropout(x, "op", 0.5); }},
  };
  return all;
}

std::string chain_text(const Chain& chain, int length) {
  GraphBuilder b("chain");
  ValueId x = b.parameter("x", graph::Shape(chain.shape));
  for (int i = 0; i < length; ++i) {
    const auto scope = b.scope(i);
    x = chain.link(b, x);
  }
  return graph::to_text(std::move(b).finish({x}));
}

/// A module would be most of the sum.
bool has_turn(std::string_view host_class) { return host_class != whole_module; }

std::string links_in_turn() {
  GraphBuilder b("turns");
  std::vector<const Chain*> turns;
  std::vector<ValueId> values;
  for (const Chain& chain : chains()) {
    if (!has_turn(chain.host_class)) continue;
    const auto scope = b.scope(static_cast<std::int64_t>(values.size()));
    turns.push_back(&chain);
    values.push_back(b.parameter("x", graph::Shape(chain.shape)));
  }
  for (std::size_t i = 0; i < chain_length; ++i) {
    for (std::size_t j = 0; j < turns.size(); ++j) {
      const auto scope = b.scope(static_cast<std::int64_t>(turns.size() * (i + 1) + j));
      values[j] = turns[j]->link(b, values[j]);
    }
  }
  return graph::to_text(std::move(b).finish(values));
}

/// Times of all links, evaluated class by class and in turn.
struct Turns {
  double in_turn_s = 0.0;
  double in_rows_s = 0.0;
  std::ptrdiff_t rows = 0;

  /// 1 where a class is missing.
  [[nodiscard]] double slowness() const {
    const auto classes = std::ranges::count_if(chains(), has_turn, &Chain::host_class);
    return rows == classes && in_turn_s > in_rows_s ? in_turn_s / in_rows_s : 1.0;
  }
};

/// Nodes of one link that are not the op itself: views, or its twin.
double links_views(std::string_view host_class) {
  return host_class == "copy" || host_class == "cat" ? 1.0 : 0.0;
}

/// Nodes of one attention module.
double module_nodes() {
  GraphBuilder b("module");
  const ValueId x = b.parameter("x", {1, 8, 16});
  const ValueId y = graph::add_attention_module(b, x, 2);
  return static_cast<double>(std::move(b).finish({y}).nodes.size());
}

ProbeItem chain_item(std::string graph, bool gradients) {
  ProbeItem item;
  item.kind = ProbeKind::chain;
  item.graph = std::move(graph);
  item.gradients = gradients;
  return item;
}

std::string small_parameters(int tensors) {
  GraphBuilder b("parameters");
  std::vector<ValueId> used;
  for (int i = 0; i < tensors; ++i) {
    const auto scope = b.scope(i);
    used.push_back(b.parameter("p", {8}));
  }
  const ValueId y = b.concat(used, 0, "use");
  return graph::to_text(std::move(b).finish({y}));
}

/// Times are per node; a link of two nodes costs both less the view.
void take_out_views(record::HostCosts& costs) {
  const auto view = costs.ops.find("view");
  for (auto& [name, cost] : costs.ops) {
    const double views = links_views(name);
    if (views == 0.0 || view == costs.ops.end()) continue;
    const auto own = [views](double per_node, double per_view) {
      return std::max((views + 1.0) * per_node - views * per_view, 0.0);
    };
    cost.inference_s = own(cost.inference_s, view->second.inference_s);
    if (cost.forward_s) cost.forward_s = own(*cost.forward_s, view->second.forward_s.value_or(0.0));
    if (cost.backward_s) {
      cost.backward_s = own(*cost.backward_s, view->second.backward_s.value_or(0.0));
    }
  }
}

/// What one step of an optimizer costs to issue.
struct OptimizerPoint {
  double tensors;
  double issue_s;
};

void add_optimizer(record::HostCosts& costs, const std::string& name,
                   std::vector<OptimizerPoint>& points) {
  if (points.size() < 2) return;
  std::ranges::sort(points, {}, &OptimizerPoint::tensors);
  const double slope = std::max((points.back().issue_s - points.front().issue_s) /
                                    (points.back().tensors - points.front().tensors),
                                0.0);
  costs.optimizer_per_tensor_s[name] = slope;
  costs.optimizer_fixed_s[name] =
      std::max(points.front().issue_s - slope * points.front().tensors, 0.0);
}

}  // namespace

std::vector<HostItem> host_grid() {
  std::vector<HostItem> items;
  for (const Chain& chain : chains()) {
    const std::string name(chain.host_class);
    for (const bool gradients : {false, true}) {
      items.push_back({name, chain_item(chain_text(chain, chain_length), gradients)});
    }
  }
  items.push_back({std::string(in_turn), chain_item(links_in_turn(), false)});
  const auto unary = std::ranges::find(chains(), "unary", &Chain::host_class);
  for (const bool gradients : {false, true}) {
    items.push_back({std::string(single), chain_item(chain_text(*unary, 1), gradients)});
  }
  for (const std::string_view optimizer : {"sgd", "sgd-momentum", "adam"}) {
    for (const int tensors : {10, 300}) {
      ProbeItem item;
      item.kind = ProbeKind::optimizer;
      item.graph = small_parameters(tensors);
      item.gradients = true;
      item.optimizer = optimizer;
      items.push_back({std::string(optimizer), std::move(item), static_cast<double>(tensors)});
    }
  }
  return items;
}

record::HostCosts host_costs(std::span<const HostItem> items, std::size_t first,
                             std::span<const ProbeResult> results) {
  record::HostCosts costs;
  costs.issuer = "rooflab";
  double single_forward_s = 0.0;
  double single_backward_s = 0.0;
  Turns turns;
  std::map<std::string, std::vector<OptimizerPoint>> optimizers;
  for (const ProbeResult& result : results) {
    if (result.item < first || result.item - first >= items.size()) continue;
    const HostItem& item = items[result.item - first];
    if (item.tensors > 0.0) {
      if (result.issue_s) optimizers[item.host_class].push_back({item.tensors, *result.issue_s});
      continue;
    }
    if (!result.forward_s) continue;
    if (item.host_class == in_turn) {
      turns.in_turn_s = result.issue_s.value_or(0.0);
      continue;
    }
    if (item.host_class == single) {
      (item.item.gradients ? single_backward_s : single_forward_s) =
          item.item.gradients ? result.gradients_s.value_or(0.0) : *result.forward_s;
      continue;
    }
    if (!item.item.gradients && has_turn(item.host_class) && result.issue_s) {
      turns.in_rows_s += *result.issue_s;
      ++turns.rows;
    }
    record::HostCost& cost = costs.ops[item.host_class];
    if (item.item.gradients) {
      cost.forward_s = *result.forward_s;
      cost.backward_s = result.gradients_s;
    } else {
      cost.inference_s = *result.forward_s;
    }
  }
  costs.jitter = turns.slowness();
  take_out_views(costs);
  // A module is one call in evaluation, and its own ops otherwise.
  if (const auto known = costs.ops.find(std::string(whole_module)); known != costs.ops.end()) {
    known->second = {.inference_s = known->second.inference_s * module_nodes()};
  }
  std::erase_if(costs.ops, [](const auto& entry) { return entry.second.inference_s <= 0.0; });
  for (auto& [name, points] : optimizers) add_optimizer(costs, name, points);
  if (const auto unary = costs.ops.find("unary"); unary != costs.ops.end()) {
    costs.step_s = std::max(single_forward_s - unary->second.inference_s, 0.0);
    // Two small ops forward (log-softmax and the likelihood), and the engine's start.
    costs.loss_s = std::max(single_backward_s - unary->second.backward_s.value_or(0.0), 0.0);
    if (const auto softmax = costs.ops.find("softmax"); softmax != costs.ops.end()) {
      costs.loss_s += 2.0 * softmax->second.forward_s.value_or(softmax->second.inference_s) +
                      2.0 * softmax->second.backward_s.value_or(0.0);
    }
  }
  return costs;
}

record::HostCosts measured_in(record::HostCosts costs, const record::Environment& environment) {
  const auto version = environment.libraries.find("libtorch");
  costs.version = version == environment.libraries.end() ? "" : version->second;
  costs.cpu = environment.cpu;
  return costs;
}

}  // namespace rooflab::engine
