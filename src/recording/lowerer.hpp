#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "linear_nodes.hpp"
#include "rooflab/recording/recording.hpp"

namespace rooflab::recording {

using schedule::Pass;
using STensor = schedule::TensorId;  ///< a tensor of the schedule
inline constexpr STensor no_tensor = -1;

class OpView;

/// Thrown where a rule does not support the operands of its op, which then counts as unknown.
struct Misfit {};

/// Whether a node's operands have the extents that its op needs.
[[nodiscard]] bool operands_fit(const graph::Graph& graph, const graph::Node& node);

/// State of one lowering: the schedule so far, and the tensor in it for each recorded tensor.
class Lowerer {
 public:
  explicit Lowerer(const Recording& recording);
  [[nodiscard]] LoweredOps run() &&;

  // ---- for the rules of ops
  [[nodiscard]] const Recording& recording() const { return recording_; }
  [[nodiscard]] const schedule::Tensor& tensor(STensor id) const { return schedule_.tensor(id); }
  [[nodiscard]] const graph::Shape& shape(STensor id) const { return tensor(id).type.shape; }
  [[nodiscard]] schedule::Role role_of(STensor id) const { return schedule_.storage_of(id).role; }
  [[nodiscard]] std::int64_t elements(STensor id) const { return shape(id).elements(); }

  /// The recorded tensor in the schedule; no_tensor for one that is absent, a number, or not on the
  /// device.
  [[nodiscard]] STensor tensor_of(TensorId id);
  /// Makes another view of a tensor's memory, for an op that uses only a part of its bytes.
  STensor view_of(STensor base, graph::TensorType type);

  /// Value that describes a tensor at a node. Throws Misfit without a tensor.
  [[nodiscard]] graph::ValueId value(STensor id);
  /// Makes a value of that type without a tensor: an operand that only describes the op.
  [[nodiscard]] graph::ValueId described(graph::TensorType type);
  /// Parameter of which a tensor is a view or a cast; nullopt: none.
  [[nodiscard]] std::optional<graph::ValueId> weight(STensor id) const;
  /// Marks `to` as a view or cast of the same parameter as `from`.
  void carry_weight(STensor from, STensor to);

  /// Makes a node for an op of this view. Throws Misfit where its operands do not fit the op.
  graph::NodeId node(const OpView& view, graph::Op op, std::vector<graph::ValueId> inputs,
                     std::vector<graph::ValueId> outputs);
  /// Names the class of issue cost of a node (graph::Node::issued_as).
  void issue_as(graph::NodeId node, std::string_view host_class) {
    schedule_.graph.nodes[static_cast<std::size_t>(node)].issued_as = host_class;
  }
  schedule::ScheduledOp& emit(schedule::Work work, graph::NodeId node, Pass pass,
                              std::vector<STensor> reads, std::vector<STensor> writes);

  /// Remembers a linear layer, so that its products are found in the backward pass by module and
  /// extents.
  void remember_linear(const OpView& view, graph::NodeId node, std::int64_t rows, std::int64_t in,
                       std::int64_t out);
  [[nodiscard]] std::optional<graph::NodeId> find_linear(const OpView& view, std::int64_t rows,
                                                         std::int64_t in, std::int64_t out) const;

  /// The last node of the forward pass with this module, op and shape of its first result.
  [[nodiscard]] std::optional<graph::NodeId> find_forward(const OpView& view, const graph::Op& op,
                                                          const graph::Shape& result) const;
  [[nodiscard]] const graph::TensorType& type_of(graph::ValueId id) const {
    return schedule_.graph.type(id);
  }
  [[nodiscard]] schedule::Optimizer optimizer() const { return schedule_.optimizer; }
  /// Number of the current optimizer step.
  [[nodiscard]] int optimizer_group() const { return optimizer_group_; }
  /// Whether the step ran on a GPU.
  [[nodiscard]] bool is_gpu() const { return device_ != "cpu" && device_ != "meta"; }
  [[nodiscard]] Phase phase() const { return schedule_.phase; }

 private:
  void find_device();
  void find_leaves();
  void create_storages();
  void create_parameters();
  /// Tensor with this number if it is in a parameter or a buffer of the device; else no_tensor.
  [[nodiscard]] STensor parameter_tensor(std::size_t recorded);
  graph::ValueId create_parameter(STensor id, const Storage& storage, const std::string& name);
  void lower(const Op& op);
  void add_gaps();
  void set_lives();
  void set_results();
  [[nodiscard]] bool on_device(std::int32_t storage) const;
  [[nodiscard]] std::string node_name(const OpView& view, std::string_view op) const;

  const Recording& recording_;
  schedule::Schedule schedule_;
  std::string device_;                         ///< type of the device to lower for: `cuda`
  std::vector<schedule::StorageId> storages_;  ///< index: recorded storage; -1: elsewhere
  std::vector<STensor> tensors_;               ///< index: recorded tensor
  std::vector<graph::ValueId> values_;         ///< index: tensor of the schedule; -1: not yet
  std::vector<std::optional<graph::ValueId>> weights_;  ///< index: storage of the schedule
  std::vector<bool> is_leaf_;          ///< index: module; none of its submodules is called
  std::vector<std::size_t> first_op_;  ///< index: recorded op; number of schedule ops before it
  /// Nodes of the forward pass by module and place of their op in graph::Op.
  std::map<std::pair<std::int32_t, std::size_t>, std::vector<graph::NodeId>> forward_nodes_;
  LinearNodes linears_;
  int optimizer_group_ = 0;
  std::int32_t wrapped_ = 0;  ///< number for the next op of the schedule
  bool several_roots_ = false;
  bool exchanges_ = false;  ///< the step has other processes
};

/// A recorded op in terms of the lowering.
class OpView {
 public:
  OpView(Lowerer& lowerer, const Op& op);

  [[nodiscard]] Lowerer& lowerer() const { return *lowerer_; }
  /// Name without its namespace and the `_` of an op in place: `add`.
  [[nodiscard]] std::string_view name() const { return name_; }
  /// Name in the framework without the namespace: `add_`.
  [[nodiscard]] std::string_view full_name() const { return full_name_; }
  [[nodiscard]] const Op& op() const { return *op_; }
  [[nodiscard]] const Place& place() const { return *place_; }
  [[nodiscard]] bool in_place() const { return !op_->writes.empty(); }

  /// Number of tensor arguments in the op's schema.
  [[nodiscard]] std::size_t arity() const { return op_->in.size(); }
  /// A tensor argument; no_tensor if it is absent, a number or elsewhere.
  [[nodiscard]] STensor in(std::size_t place) const;
  /// The tensors on the device of an argument that is a list.
  [[nodiscard]] std::vector<STensor> list(std::size_t place) const;
  [[nodiscard]] STensor out(std::size_t place) const;
  /// The tensors on the device of a result that is a list.
  [[nodiscard]] std::vector<STensor> out_list(std::size_t place) const;
  /// All distinct argument tensors on the device, including those in lists.
  [[nodiscard]] std::vector<STensor> all_in() const;
  [[nodiscard]] std::vector<STensor> all_out() const;
  /// Arguments that the op overwrites, then results with own memory.
  [[nodiscard]] std::vector<STensor> written() const;

  [[nodiscard]] std::int64_t integer(std::string_view key, std::int64_t otherwise) const;
  [[nodiscard]] double number_or(std::string_view key, double otherwise) const;
  [[nodiscard]] bool flag(std::string_view key, bool otherwise) const;
  [[nodiscard]] std::string text(std::string_view key) const;
  /// Argument that is a list of whole numbers; one number is a list of one. Empty if the argument
  /// is missing.
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view key) const;
  /// Argument with one whole number per spatial dimension, `rank` in all: a single number is used
  /// for all, and `otherwise` if it is missing.
  [[nodiscard]] std::vector<std::int64_t> spatial(std::string_view key, std::size_t rank,
                                                  std::int64_t otherwise) const;

  /// Whether the op belongs to the backward pass and does not repeat forward work.
  [[nodiscard]] bool is_backward() const {
    return place_->part == Part::backward && !place_->recomputed;
  }
  /// Pass of work that is not a gradient of a node.
  [[nodiscard]] Pass plain_pass() const;

 private:
  [[nodiscard]] STensor tensor_of(const std::vector<Operand>& operands, std::size_t place) const;
  [[nodiscard]] std::vector<STensor> list_of(const std::vector<Operand>& operands,
                                             std::size_t place) const;
  [[nodiscard]] const Json* argument(std::string_view key) const;
  [[nodiscard]] std::vector<STensor> flattened(const std::vector<Operand>& operands) const;

  Lowerer* lowerer_;
  const Op* op_;
  const Place* place_;
  std::string_view full_name_;
  std::string_view name_;
};

/// Lowers one op to entries of the schedule; false: no rule for this use of the op.
using Rule = bool (*)(const OpView& view);

/// Rule of an op by its name; else the rule for functions of elements.
[[nodiscard]] Rule rule_of(std::string_view name);

}  // namespace rooflab::recording
