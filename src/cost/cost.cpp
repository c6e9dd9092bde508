// Bytes, and the arithmetic of work that is not a node's own op.
//
// Compulsory bytes of an entry: every tensor it reads once and every tensor it writes once, in the
// tensor's type. Exceptions: a gather reads only the rows it takes (as many bytes as it writes) and
// its backward touches only those rows of the filled gradient; a scatter and its gradients likewise
// touch only what the indices name; a product of groups of rows with a matrix for each group reads
// no more matrices than it has rows; a pick of labels reads one number a row. Memory allocated or
// held is not traffic.
//
// Arithmetic per element: that of elementwise ops and of copies is in their rows of facts
// (graph/function_facts.hpp, graph/op_facts.hpp); bias add 1, bias gradient and sum over broadcast
// dimensions 1 per element read, accumulation 1, log-softmax 5 (backward 4), negative
// log-likelihood 2 per row, passes of the optimizer and of loss scaling as noted at each
// (schedule/optimizer_step.cpp, schedule/grad_scaler_rules.cpp);
// casts, copies, fills and random numbers do no floating-point arithmetic that counts.

#include "rooflab/cost/cost.hpp"

#include "base/assert.hpp"
#include "rooflab/graph/grouped_product.hpp"
#include "rules.hpp"

namespace rooflab::cost {
namespace {

using namespace schedule;

/// The arithmetic type of vector work: frameworks compute fp16 and bf16 data in fp32.
DType vector_type_of(DType data) { return data == DType::f64 ? DType::f64 : DType::f32; }

/// Every elementwise op has a figure in its row of facts.
struct NoRule {};

/// What the op's importer knows.
std::optional<Arithmetic> brought_arithmetic(const graph::Opaque& op) {
  if (!op.flops) return std::nullopt;
  return vector_work(*op.flops, 1);
}

std::optional<Arithmetic> node_arithmetic(const Schedule& schedule, const ScheduledOp& op) {
  const Entry entry{schedule, op, schedule.graph.nodes[static_cast<std::size_t>(op.node)]};
  switch (graph::family_of(entry.node.op)) {
    case graph::Family::matrix:
      return matrix_arithmetic(entry);
    case graph::Family::normalisation:
      return normalisation_arithmetic(entry);
    case graph::Family::elementwise:
      return arithmetic_by_row_or<graph::Family::elementwise>(NoRule{}, entry);
    case graph::Family::pooling:
    case graph::Family::reduction:
      return pooling_arithmetic(entry);
    case graph::Family::movement:
      return movement_arithmetic(entry);
    case graph::Family::unknown:
      return brought_arithmetic(std::get<graph::Opaque>(entry.node.op));
  }
  return std::nullopt;
}

struct WorkArithmetic {
  const Schedule& schedule;
  const ScheduledOp& op;

  std::optional<Arithmetic> operator()(NodeWork) const { return node_arithmetic(schedule, op); }
  std::optional<Arithmetic> operator()(ViewWork) const { return Arithmetic{}; }
  std::optional<Arithmetic> operator()(BiasAddWork) const { return written(1); }
  std::optional<Arithmetic> operator()(BiasGradientWork) const { return read(1); }
  std::optional<Arithmetic> operator()(BroadcastGradientWork) const { return read(1); }
  std::optional<Arithmetic> operator()(AccumulateWork) const { return written(1); }
  std::optional<Arithmetic> operator()(CastWork) const { return Arithmetic{}; }
  std::optional<Arithmetic> operator()(CopyWork) const { return Arithmetic{}; }
  std::optional<Arithmetic> operator()(FillWork) const { return Arithmetic{}; }
  std::optional<Arithmetic> operator()(RandomWork) const { return Arithmetic{}; }
  std::optional<Arithmetic> operator()(CounterWork) const { return Arithmetic{}; }
  std::optional<Arithmetic> operator()(LogSoftmaxWork) const {
    return written(op.reads.size() == 1 ? 5 : 4);
  }
  std::optional<Arithmetic> operator()(NegativeLogLikelihoodWork) const {
    return vector_work(schedule.tensor(op.reads.back()).type.shape.elements(), 2);
  }
  std::optional<Arithmetic> operator()(const OptimizerWork& work) const {
    return all_written(work.flops_per_element);
  }
  std::optional<Arithmetic> operator()(const GradScalerWork& work) const {
    return all_written(work.flops_per_element);
  }
  /// Sums on the way are the collective library's, and not counted.
  std::optional<Arithmetic> operator()(const CollectiveWork&) const { return Arithmetic{}; }

 private:
  [[nodiscard]] std::int64_t elements(TensorId id) const {
    return schedule.tensor(id).type.shape.elements();
  }
  [[nodiscard]] Arithmetic written(std::int64_t per_element) const {
    return vector_work(elements(op.writes.front()), per_element);
  }
  [[nodiscard]] Arithmetic all_written(std::int64_t per_element) const {
    Arithmetic total;
    for (const TensorId id : op.writes) {
      total.vector_flops += Flops(checked_multiply(elements(id), per_element));
    }
    return total;
  }
  [[nodiscard]] Arithmetic read(std::int64_t per_element) const {
    return vector_work(elements(op.reads.front()), per_element);
  }
};

/// Bytes of the elements that an entry of a gather or a scatter touches, where that is not all of
/// its tensors.
std::optional<Bytes> indexed_bytes(const Schedule& schedule, const ScheduledOp& op) {
  if (!std::holds_alternative<NodeWork>(op.work)) return std::nullopt;
  const graph::Node& node = schedule.graph.nodes[static_cast<std::size_t>(op.node)];
  if (std::holds_alternative<graph::Gather>(node.op) ||
      std::holds_alternative<graph::GatherElements>(node.op)) {
    const bool forward = !is_gradient(op.pass);
    return schedule.tensor(forward ? op.writes.front() : op.reads.front()).distinct_bytes();
  }
  if (std::holds_alternative<graph::Scatter>(node.op) && op.reads.size() <= 2) {
    return Bytes(schedule.graph.type(node.inputs[2]).bytes());
  }
  return std::nullopt;
}

/// Bytes that an entry reads of a tensor: of one matrix for each of several groups of rows no more
/// matrices than there are rows.
Bytes read_bytes(const Schedule& schedule, const ScheduledOp& op, TensorId id) {
  const Tensor& tensor = schedule.tensor(id);
  const Bytes all = tensor.distinct_bytes();
  if (op.node < 0 || !std::holds_alternative<NodeWork>(op.work)) return all;
  const graph::Node& node = schedule.graph.nodes[static_cast<std::size_t>(op.node)];
  const bool multiplies = std::holds_alternative<graph::MatMul>(node.op) && op.writes.size() == 1;
  if (!multiplies || tensor.type.shape.rank() != 3) return all;
  const std::optional<std::int64_t> read = graph::matrices_read(
      schedule.graph.type(node.inputs[0]).shape, schedule.graph.type(node.inputs[1]).shape,
      schedule.tensor(op.writes.front()).type.shape);
  if (!read || *read >= tensor.type.shape[0]) return all;
  return Bytes(checked_multiply(all.value() / tensor.type.shape[0], *read));
}

void add_bytes(const Schedule& schedule, const ScheduledOp& op, Cost& cost) {
  if (std::holds_alternative<ViewWork>(op.work)) return;
  const auto bytes = [&schedule](TensorId id) { return schedule.tensor(id).distinct_bytes(); };
  if (const std::optional<Bytes> elements = indexed_bytes(schedule, op)) {
    cost.bytes_read = bytes(op.reads.back());  // the indices come last
    if (op.reads.size() > 1) cost.bytes_read += *elements;
    cost.bytes_written = *elements;
    return;
  }
  if (std::holds_alternative<NegativeLogLikelihoodWork>(op.work)) {
    const graph::TensorType& labels = schedule.tensor(op.reads.back()).type;
    const Bytes picked(checked_multiply(labels.shape.elements(),
                                        size_of(schedule.tensor(op.reads.front()).type.dtype)));
    const bool forward = schedule.tensor(op.writes.front()).type.shape.rank() == 0;
    cost.bytes_read = bytes(op.reads.back()) + (forward ? picked : bytes(op.reads.front()));
    cost.bytes_written = forward ? bytes(op.writes.front()) : picked;
    return;
  }
  for (const TensorId id : op.reads) cost.bytes_read += read_bytes(schedule, op, id);
  for (const TensorId id : op.writes) cost.bytes_written += bytes(id);
}

}  // namespace

std::optional<Cost> cost_of(const Schedule& schedule, const ScheduledOp& op) {
  const std::optional<Arithmetic> work = std::visit(WorkArithmetic{schedule, op}, op.work);
  if (!work) return std::nullopt;
  Cost cost;
  cost.matrix_flops = flops_of(work->macs);
  cost.vector_flops = work->vector_flops;
  if (op.pass == Pass::forward) {
    cost.macs = work->macs;
    cost.causal_macs = work->causal_macs;
  }
  if (!op.reads.empty()) {
    cost.matrix_type = schedule.tensor(op.reads.front()).type.dtype;
    cost.vector_type = vector_type_of(cost.matrix_type);
  }
  add_bytes(schedule, op, cost);
  return cost;
}

}  // namespace rooflab::cost
