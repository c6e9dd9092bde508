#include "single_op.hpp"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <memory>

#include "executor.hpp"
#include "queued_timing.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "weights.hpp"

namespace rooflab::torch_worker {
namespace {

using engine::ProbeResult;
using graph::Graph;
using graph::Node;
using graph::ValueKind;

std::size_t index_of(graph::ValueId id) { return static_cast<std::size_t>(id); }

bool is_matrix_op(const graph::Op& op) {
  return std::holds_alternative<graph::Conv>(op) || std::holds_alternative<graph::Linear>(op) ||
         std::holds_alternative<graph::MatMul>(op);
}

/// Gives an operand its strides, or a result's standing, so that an op in place may write to it.
bool prepares_operands(const graph::Op& op) {
  return graph::is_view(op) || std::holds_alternative<graph::Cast>(op) ||
         std::holds_alternative<graph::Contiguous>(op);
}

/// A module that evaluation runs as one call.
bool is_one_module(const Graph& graph) {
  const std::vector<graph::AttentionModule> modules = graph::find_attention_modules(graph);
  return modules.size() == 1 && modules.front().nodes.size() == graph.nodes.size();
}

/// The nodes before the last one; what that one reads is read out.
Graph preparation_of(const Graph& graph) {
  Graph preparation = graph;
  preparation.nodes.pop_back();
  for (const Node& node : preparation.nodes) {
    if (!prepares_operands(node.op)) {
      throw Unsupported{"'" + node.name + "', no view, before the op to be measured"};
    }
  }
  preparation.outputs.clear();
  for (const graph::ValueId id : graph.nodes.back().inputs) {
    if (graph.value(id).kind == ValueKind::result) preparation.outputs.push_back(id);
  }
  return preparation;
}

/// The last node alone; what it reads are parameters.
Graph last_node_of(const Graph& graph) {
  Graph last = graph;
  last.nodes = {graph.nodes.back()};
  last.outputs = last.nodes.front().outputs;
  for (graph::Value& value : last.values) {
    if (value.kind != ValueKind::result) continue;
    value.kind = ValueKind::parameter;
    value.producer = -1;
  }
  for (const graph::ValueId id : last.outputs) {
    last.value(id).kind = ValueKind::result;
    last.value(id).producer = 0;
  }
  return last;
}

ProbeResult forward_result(const TimedCall& forward) {
  ProbeResult result;
  result.forward_s = forward.device_median_s();
  result.forward_peak_bytes = forward.peak_bytes;
  result.issue_s = forward.host_median_s();
  result.spread = forward.spread();
  return result;
}

class SingleOp {
 public:
  SingleOp(const engine::ProbeItem& item, const Graph& graph, OpBench& bench)
      : graph_(last_node_of(graph)),
        bench_(bench),
        mode_{item.gradients, !item.gradients},
        in_place_(graph::writes_in_place(node().op)),
        records_(item.gradients && !in_place_),
        executor_(graph_, mode_, bench.backend.device()) {
    const c10::AutoGradMode records(records_);
    values_ =
        bench.pool.values(graph, {.channels_last = item.channels_last, .gradients = records_});
    const Graph preparation = preparation_of(graph);
    const std::vector<at::Tensor> results =
        Executor(preparation, mode_, bench.backend.device()).run(values_);
    for (std::size_t i = 0; i < preparation.outputs.size(); ++i) {
      // A leaf again, so that the way back ends here.
      at::Tensor& value = values_[index_of(preparation.outputs[i])];
      value = results[i].variable_data();
      if (results[i].requires_grad()) value.requires_grad_();
    }
    if (in_place_) {
      at::Tensor& target = values_[index_of(node().inputs.front())];
      target = target.clone();  // the pool's numbers stay as they are
    }
    flatten_recurrent_weights(graph_, values_);
  }

  ProbeResult measure() {
    const c10::AutoGradMode records(records_);
    const std::vector<at::Tensor> written = written_before();
    std::vector<TimedCall> calls;
    calls.push_back({.call = [this] { static_cast<void>(executor_.run(values_)); },
                     .before = [this, &written] { bench_.caches.prepare(written); }});
    std::vector<Direction> directions;
    if (records_) {
      record_forward();
      calls.front().warm_ups = 1;
      directions = directions_to_measure();
    }
    for (const Direction& direction : directions) {
      calls.push_back({.call =
                           [this, &direction] {
                             torch::autograd::grad(recorded_, direction.operands, seeds_,
                                                   /*retain_graph=*/true,
                                                   /*create_graph=*/false, /*allow_unused=*/true);
                           },
                       .before = [this] { bench_.caches.prepare(seeds_); }});
    }
    time_calls(bench_.backend, bench_.mark_s, calls);

    ProbeResult result = forward_result(calls.front());
    bool unsteady = calls.front().unsteady;
    for (std::size_t i = 0; i < directions.size(); ++i) {
      const TimedCall& gradient = calls[i + 1];
      unsteady = unsteady || gradient.unsteady;
      result.*directions[i].seconds = gradient.device_median_s();
      result.*directions[i].peak_bytes = gradient.peak_bytes;
    }
    if (one_operand_) {
      result.gradients_s = result.data_gradient_s;
      result.gradients_peak_bytes = result.data_gradient_peak_bytes;
    }
    if (unsteady) {
      result.message = "unsteady";
    } else if (mode_.training && directions.empty()) {
      result.message = in_place_ ? "in place: no gradients" : "no gradients";
    }
    return result;
  }

 private:
  /// One way back through the op.
  struct Direction {
    std::vector<at::Tensor> operands;
    std::optional<double> ProbeResult::*seconds = nullptr;
    std::optional<double> ProbeResult::*peak_bytes = nullptr;
  };

  [[nodiscard]] const Node& node() const { return graph_.nodes.front(); }

  /// The operands that the op before this one has just written in a network; weights, shortcuts and
  /// tables are older.
  [[nodiscard]] std::vector<at::Tensor> written_before() const {
    const std::vector<graph::ValueId>& inputs = node().inputs;
    std::size_t first = 0;
    std::size_t end = std::min<std::size_t>(inputs.size(), 1);
    if (std::holds_alternative<graph::Attention>(node().op) ||
        std::holds_alternative<graph::MatMul>(node().op)) {
      end = inputs.size();
    } else if (std::holds_alternative<graph::Concat>(node().op) && !inputs.empty()) {
      first = inputs.size() - 1;
      end = inputs.size();
    }
    std::vector<at::Tensor> written;
    for (; first < end; ++first) written.push_back(values_[index_of(inputs[first])]);
    return written;
  }

  /// Keeps the results that gradients start from, and a random gradient of each in its layout.
  void record_forward() {
    for (const at::Tensor& output : executor_.run(values_)) {
      if (!output.requires_grad()) continue;
      recorded_.push_back(output);
      seeds_.push_back(bench_.pool.like(output));
    }
  }

  std::vector<Direction> directions_to_measure() {
    std::vector<Direction> directions;
    if (recorded_.empty()) return directions;
    const auto operand = [this](std::size_t i) { return values_[index_of(node().inputs[i])]; };
    const auto requires_it = [&](std::size_t i) {
      return i < node().inputs.size() && operand(i).requires_grad();
    };
    std::vector<at::Tensor> all;
    for (std::size_t i = 0; i < node().inputs.size(); ++i) {
      if (requires_it(i)) all.push_back(operand(i));
    }
    if (requires_it(0)) {
      directions.push_back(
          {{operand(0)}, &ProbeResult::data_gradient_s, &ProbeResult::data_gradient_peak_bytes});
    }
    if (is_matrix_op(node().op)) {
      if (requires_it(1)) {
        directions.push_back({{operand(1)},
                              &ProbeResult::weight_gradient_s,
                              &ProbeResult::weight_gradient_peak_bytes});
      }
      return directions;
    }
    one_operand_ = all.size() == 1 && requires_it(0);
    if (!all.empty() && !one_operand_) {
      directions.push_back(
          {std::move(all), &ProbeResult::gradients_s, &ProbeResult::gradients_peak_bytes});
    }
    return directions;
  }

  Graph graph_;
  OpBench& bench_;
  Mode mode_;
  bool in_place_;
  bool records_;              ///< autograd does
  bool one_operand_ = false;  ///< its gradient is all gradients: no need to measure twice
  Executor executor_;
  std::vector<at::Tensor> values_;
  std::vector<at::Tensor> recorded_;
  std::vector<at::Tensor> seeds_;
};

/// Forward only: in training its ops run one by one.
ProbeResult measure_module(const engine::ProbeItem& item, const Graph& graph, OpBench& bench) {
  const c10::NoGradGuard no_grad;
  const std::vector<at::Tensor> values =
      bench.pool.values(graph, {.channels_last = item.channels_last, .gradients = false});
  Executor executor(graph, {.training = false, .fast_paths = true}, bench.backend.device());
  std::vector<TimedCall> calls;
  calls.push_back({.call = [&] { static_cast<void>(executor.run(values)); },
                   .before =
                       [&] {
                         bench.caches.prepare({values.data(), 1});
                       }});
  time_calls(bench.backend, bench.mark_s, calls);
  ProbeResult result = forward_result(calls.front());
  if (calls.front().unsteady) result.message = "unsteady";
  return result;
}

}  // namespace

ProbeResult measure_op(const engine::ProbeItem& item, const Graph& graph, OpBench& bench) {
  if (graph.nodes.empty()) throw Unsupported{"a graph without an op"};
  if (!item.gradients && is_one_module(graph)) {
    return measure_module(item, graph, bench);
  }
  return SingleOp(item, graph, bench).measure();
}

}  // namespace rooflab::torch_worker
