#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rooflab/base/collective.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/figure_key.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/schedule/strides.hpp"

/// What a phase really executes, in order: the graph lowered to framework ops.
///
/// Counting, the memory model, prediction and the comparison with measured kernels all walk this
/// list; a layer table is the list folded by node. The rules of lowering, with their sources, are
/// in docs/methods/schedule.md.
namespace rooflab::schedule {

using TensorId = std::int32_t;
using StorageId = std::int32_t;

/// What a piece of device memory holds.
enum class Role : std::uint8_t {
  input,  ///< the network's input and the labels
  parameter,
  buffer,      ///< running statistics, constants
  activation,  ///< results and what autograd keeps beside them
  gradient,    ///< gradient of activations
  parameter_gradient,
  optimizer_state,
  cache,  ///< keys and values of the tokens before (recordings)
};

/// One allocation. Views share it.
struct Storage {
  Bytes bytes;
  Role role = Role::activation;
};

/// A way of looking at a storage.
struct Tensor {
  graph::TensorType type;
  Strides strides;
  StorageId storage = -1;

  /// Bytes of the distinct elements: expanded dimensions count once.
  [[nodiscard]] Bytes distinct_bytes() const;
};

enum class Pass : std::uint8_t {
  forward,
  loss,
  data_gradient,
  weight_gradient,
  optimizer,
  backward,  ///< the backward pass beside gradients of ops: repeated forward work, plain
             ///< arithmetic
};
constexpr auto names_in_order(For<Pass>) {
  return names_through<Pass::backward>("forward", "loss", "data_gradient", "weight_gradient",
                                       "optimizer", "backward");
}

/// The op computes gradients of its node.
[[nodiscard]] constexpr bool is_gradient(Pass pass) {
  return pass == Pass::data_gradient || pass == Pass::weight_gradient;
}

enum class Optimizer : std::uint8_t {
  sgd,
  sgd_momentum,
  adam,
  none,  ///< a step ends with its backward pass; gradients stay until the next one drops them
};
constexpr auto names_in_order(For<Optimizer>) {
  return names_through<Optimizer::none>("sgd", "sgd-momentum", "adam", "none");
}

// ---- work: what one entry of the list does ------------------------------------------------------

struct NodeWork {  ///< the node's own op, in the entry's pass
  friend bool operator==(NodeWork, NodeWork) = default;
};
struct ViewWork {  ///< no device work
  friend bool operator==(ViewWork, ViewWork) = default;
};
struct BiasAddWork {  ///< reads and rewrites a convolution's result
  friend bool operator==(BiasAddWork, BiasAddWork) = default;
};
struct BiasGradientWork {  ///< sum over all but the channel dimension
  friend bool operator==(BiasGradientWork, BiasGradientWork) = default;
};
struct BroadcastGradientWork {  ///< sum over broadcast dimensions
  friend bool operator==(BroadcastGradientWork, BroadcastGradientWork) = default;
};
struct AccumulateWork {  ///< a gradient added to another of the same value
  friend bool operator==(AccumulateWork, AccumulateWork) = default;
};
struct CastWork {
  friend bool operator==(CastWork, CastWork) = default;
};
struct CopyWork {  ///< a strided or contiguous copy
  friend bool operator==(CopyWork, CopyWork) = default;
};
struct FillWork {  ///< zeros
  friend bool operator==(FillWork, FillWork) = default;
};
struct RandomWork {  ///< noise of dropout and stochastic depth
  friend bool operator==(RandomWork, RandomWork) = default;
};
struct CounterWork {  ///< batch norm's count of batches
  friend bool operator==(CounterWork, CounterWork) = default;
};
struct LogSoftmaxWork {  ///< part of the loss
  friend bool operator==(LogSoftmaxWork, LogSoftmaxWork) = default;
};
struct NegativeLogLikelihoodWork {
  friend bool operator==(NegativeLogLikelihoodWork, NegativeLogLikelihoodWork) = default;
};
/// One multi-tensor pass of the optimizer over all parameters.
struct OptimizerWork {
  std::string_view step;  ///< `momentum *= m`
  std::int64_t flops_per_element;
  int group = 0;  ///< passes with one number are of one step of one optimizer
  friend bool operator==(const OptimizerWork&, const OptimizerWork&) = default;
};
/// A kernel of loss scaling (PyTorch's GradScaler), in training under autocast to fp16.
struct GradScalerWork {
  std::string_view step;  ///< `unscale`
  std::int64_t flops_per_element;
  bool host_waits = false;  ///< the host reads the result before it issues anything else
  friend bool operator==(const GradScalerWork&, const GradScalerWork&) = default;
};

/// A message to the other devices of the step.
struct CollectiveWork {
  Collective collective;
  std::int32_t ranks = 2;  ///< devices that take part
  Bytes bytes;             ///< size of the message, as `Collective` counts it
  friend bool operator==(const CollectiveWork&, const CollectiveWork&) = default;
};

using Work = std::variant<NodeWork, ViewWork, BiasAddWork, BiasGradientWork, BroadcastGradientWork,
                          AccumulateWork, CastWork, CopyWork, FillWork, RandomWork, CounterWork,
                          LogSoftmaxWork, NegativeLogLikelihoodWork, OptimizerWork, GradScalerWork,
                          CollectiveWork>;

/// When a storage is there, as places among the ops of the list.
struct StorageLife {
  std::size_t first = 0;  ///< the op that it is made for
  std::size_t last =
      0;                ///< the op after which it is freed; the number of ops: it outlives the step
  bool before = false;  ///< it is there when the step begins
};

/// One framework op.
struct ScheduledOp {
  Work work;
  Pass pass = Pass::forward;
  graph::NodeId node = -1;      ///< whose work it is; -1: loss or optimizer
  std::vector<TensorId> reads;  ///< device memory read, each operand once
  std::vector<TensorId> writes;
  std::vector<TensorId> holds;  ///< kept alive until here without being read (saved tensors)
  bool host_reads = false;      ///< it is a copy to the host, which waits for it
  /// It runs on a stream of its own: only entries that use what it writes wait for it, and it waits
  /// for those that made what it reads.
  bool beside = false;
  /// Operations of tensor subclasses (DTensor) that the framework took apart to get to it, since
  /// the op before: work of the host alone.
  std::int32_t wrapped = 0;

  /// The host reads a result of it before it issues anything else.
  [[nodiscard]] bool host_waits() const {
    const auto* scaler = std::get_if<GradScalerWork>(&work);
    return host_reads || (scaler != nullptr && scaler->host_waits);
  }
  [[nodiscard]] bool is_message() const { return std::holds_alternative<CollectiveWork>(work); }
  /// A message beside the kernels, whose time does not count among theirs.
  [[nodiscard]] bool is_message_beside() const { return beside && is_message(); }
};

struct Schedule {
  graph::Graph graph;  ///< in the precision asked for
  Phase phase = Phase::inference;
  Precision precision = Precision::fp32;
  Optimizer optimizer = Optimizer::sgd_momentum;
  bool channels_last = false;      ///< LoweringOptions::channels_last
  bool tf32_convolutions = false;  ///< cuDNN multiplies fp32 data on TF32 units (PyTorch's default)
  std::vector<Storage> storages;
  std::vector<Tensor> tensors;
  std::vector<ScheduledOp> ops;
  std::vector<TensorId> saved;    ///< what autograd keeps after the forward pass
  std::vector<TensorId> outputs;  ///< kept by the caller
  /// Gradients of the trained parameters when the backward pass has ended.
  std::vector<TensorId> parameter_gradients;
  std::size_t forward_end = 0;  ///< ops before this index are the forward pass
  /// The life of each storage, where it was seen (recordings); empty: it follows from the list.
  std::vector<StorageLife> lives;
  /// Tokens in the cache before the step, or of a prefill (recordings); nullopt: not known.
  std::optional<std::int64_t> context = std::nullopt;

  [[nodiscard]] const Tensor& tensor(TensorId id) const {
    return tensors[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] const Storage& storage_of(TensorId id) const {
    return storages[static_cast<std::size_t>(tensor(id).storage)];
  }
  /// How an op multiplies its numbers: convolutions and recurrent layers are cuDNN's.
  [[nodiscard]] Precision precision_of(const ScheduledOp& op) const;
  /// Whether it is the step of one of several devices, which exchange messages.
  [[nodiscard]] bool exchanges() const;
  /// Name for tables: the op's own name, `bias_add`, `accumulate`, ... with its pass.
  [[nodiscard]] std::string name_of(const ScheduledOp& op) const;
};

struct LoweringOptions {
  Phase phase = Phase::inference;
  Precision precision = Precision::fp32;
  Optimizer optimizer = Optimizer::sgd_momentum;
  bool channels_last = false;  ///< input and convolution weights in channels-last order
  /// Training of a stage of a network that is cut: gradients of its results arrive from the next
  /// stage, so that it has no loss.
  bool takes_gradients = false;
  /// Names of inputs whose gradients the stage before wants.
  std::vector<std::string> inputs_with_gradients = {};
};

/// Lowers a network (in its fp32 form; the precision rewrite is applied here).
[[nodiscard]] Schedule lower(const graph::Graph& graph, const LoweringOptions& options);

}  // namespace rooflab::schedule
