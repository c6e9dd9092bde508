#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rooflab/base/collective.hpp"
#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/base/quantity.hpp"
#include "rooflab/graph/graph.hpp"
#include "rooflab/schedule/strides.hpp"

/// The ops that a phase executes, in order: the graph lowered to framework ops.
///
/// Counting, the memory model, prediction and the comparison with measured kernels all walk this
/// list; a layer table is the list folded by node. The rules of lowering, with their sources, are
/// in docs/methods/schedule.md.
namespace rooflab::schedule {

using TensorId = std::int32_t;
using StorageId = std::int32_t;

/// Content of a block of device memory.
enum class Role : std::uint8_t {
  input,  ///< the network's input and the labels
  parameter,
  buffer,      ///< running statistics, constants
  activation,  ///< results, and other tensors that autograd keeps
  gradient,    ///< gradient of activations
  parameter_gradient,
  optimizer_state,
  cache,  ///< keys and values of earlier tokens (recordings)
};

/// One allocation. Views share it.
struct Storage {
  Bytes bytes = {};
  Role role = Role::activation;
};

/// A view of a storage.
struct Tensor {
  graph::TensorType type = {};
  Strides strides = {};
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
  backward,  ///< other work of the backward pass: repeated forward work, plain arithmetic
};
constexpr auto names_in_order(For<Pass>) {
  return names_through<Pass::backward>("forward", "loss", "data_gradient", "weight_gradient",
                                       "optimizer", "backward");
}

/// Whether the op computes gradients of its node.
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

// ---- work: work of one entry of the list ------------------------------------------------------

struct NodeWork {  ///< op of the node, in the entry's pass
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
  std::string_view step = {};  ///< `momentum *= m`
  std::int64_t flops_per_element = {};
  int group = 0;  ///< passes with equal numbers belong to one step of one optimizer
  friend bool operator==(const OptimizerWork&, const OptimizerWork&) = default;
};
/// A kernel of loss scaling (PyTorch's GradScaler), in training under autocast to fp16.
struct GradScalerWork {
  std::string_view step = {};  ///< `unscale`
  std::int64_t flops_per_element = {};
  bool host_waits = false;  ///< the host reads the result before it issues anything else
  friend bool operator==(const GradScalerWork&, const GradScalerWork&) = default;
};

/// A message to the other devices of the step.
struct CollectiveWork {
  Collective collective = {};
  std::int32_t ranks = 2;  ///< devices that take part
  Bytes bytes = {};        ///< size of the message, as `Collective` counts it
  friend bool operator==(const CollectiveWork&, const CollectiveWork&) = default;
};

using Work = std::variant<NodeWork, ViewWork, BiasAddWork, BiasGradientWork, BroadcastGradientWork,
                          AccumulateWork, CastWork, CopyWork, FillWork, RandomWork, CounterWork,
                          LogSoftmaxWork, NegativeLogLikelihoodWork, OptimizerWork, GradScalerWork,
                          CollectiveWork>;

/// Lifetime of a storage, as places among the ops of the list.
struct StorageLife {
  std::size_t first = 0;  ///< the op that it is made for
  std::size_t last =
      0;                ///< the op after which it is freed; the number of ops: it outlives the step
  bool before = false;  ///< it exists when the step begins
};

/// One framework op.
struct ScheduledOp {
  Work work = {};
  Pass pass = Pass::forward;
  graph::NodeId node = -1;           ///< node whose work it is; -1: loss or optimizer
  std::vector<TensorId> reads = {};  ///< device memory read, each operand once
  std::vector<TensorId> writes = {};
  std::vector<TensorId> holds = {};  ///< kept alive until here without being read (saved tensors)
  bool host_reads = false;           ///< copy to the host, which waits for it
  /// Whether it runs on a separate stream: only entries that use its results wait for it, and it
  /// waits for the entries that made its operands.
  bool beside = false;
  /// Number of operations of tensor subclasses (DTensor) that the framework ran since the previous
  /// op to reach this one: work of the host alone.
  std::int32_t wrapped = 0;

  /// Whether the host reads a result of the op before it issues anything else.
  [[nodiscard]] bool host_waits() const {
    const auto* scaler = std::get_if<GradScalerWork>(&work);
    return host_reads || (scaler != nullptr && scaler->host_waits);
  }
  [[nodiscard]] bool is_message() const { return std::holds_alternative<CollectiveWork>(work); }
  /// Whether it is a message on a separate stream; its time is not part of the kernels' time.
  [[nodiscard]] bool is_message_beside() const { return beside && is_message(); }
};

struct Schedule {
  graph::Graph graph = {};  ///< network in the requested precision
  Phase phase = Phase::inference;
  Precision precision = Precision::fp32;
  Optimizer optimizer = Optimizer::sgd_momentum;
  bool channels_last = false;      ///< LoweringOptions::channels_last
  bool tf32_convolutions = false;  ///< cuDNN multiplies fp32 data on TF32 units (PyTorch's default)
  std::vector<Storage> storages = {};
  std::vector<Tensor> tensors = {};
  std::vector<ScheduledOp> ops = {};
  std::vector<TensorId> saved = {};    ///< kept by autograd after the forward pass
  std::vector<TensorId> outputs = {};  ///< kept by the caller
  /// Gradients of the trained parameters at the end of the backward pass.
  std::vector<TensorId> parameter_gradients = {};
  std::size_t forward_end = 0;  ///< ops before this index are the forward pass
  /// Lifetime of each storage if it was recorded; empty: it follows from the list.
  std::vector<StorageLife> lives = {};
  /// Tokens in the cache before the step, or tokens of a prefill (recordings); nullopt: not known.
  std::optional<std::int64_t> context = std::nullopt;

  [[nodiscard]] const Tensor& tensor(TensorId id) const {
    return tensors[static_cast<std::size_t>(id)];
  }
  [[nodiscard]] const Storage& storage_of(TensorId id) const {
    return storages[static_cast<std::size_t>(tensor(id).storage)];
  }
  /// Precision of an op's products: convolutions and recurrent layers follow cuDNN's setting.
  [[nodiscard]] Precision precision_of(const ScheduledOp& op) const;
  /// Whether the step is that of one of several devices that exchange messages.
  [[nodiscard]] bool exchanges() const;
  /// Name for tables: the op's own name, `bias_add`, `accumulate`, ... with its pass.
  [[nodiscard]] std::string name_of(const ScheduledOp& op) const;
};

struct LoweringOptions {
  Phase phase = Phase::inference;
  Precision precision = Precision::fp32;
  Optimizer optimizer = Optimizer::sgd_momentum;
  bool channels_last = false;  ///< input and convolution weights in channels-last order
  /// Whether this is training of a stage of a cut network: gradients of its results arrive from the
  /// next stage, so that it has no loss.
  bool takes_gradients = false;
  /// Names of inputs whose gradients the previous stage needs.
  std::vector<std::string> inputs_with_gradients = {};
};

/// Lowers a network, given in its fp32 form; the precision is applied here.
[[nodiscard]] Schedule lower(const graph::Graph& graph, const LoweringOptions& options);

}  // namespace rooflab::schedule
