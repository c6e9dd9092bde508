#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rooflab/recording/recording.hpp"

namespace rooflab::recording {

using schedule::Pass;
using STensor = schedule::TensorId;  ///< a tensor of the schedule
inline constexpr STensor no_tensor = -1;

class OpView;

/// Thrown where a rule does not know such operands of its op, which then counts as unknown.
struct Misfit {};

/// Whether a node's operands have the extents that its op looks at.
[[nodiscard]] bool operands_fit(const graph::Graph& graph, const graph::Node& node);

/// The state of one lowering: the schedule so far, and what each recorded tensor is in it.
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
  /// Another view of a tensor's memory, for bytes that an op does not touch as a whole.
  STensor view_of(STensor base, graph::TensorType type);

  /// The value that describes a tensor at a node. Throws Misfit without a tensor.
  [[nodiscard]] graph::ValueId value(STensor id);
  /// A value of that type which no tensor has: an operand that only describes the op.
  [[nodiscard]] graph::ValueId described(graph::TensorType type);
  /// The parameter that a tensor is a view or a cast of; nullopt: none.
  [[nodiscard]] std::optional<graph::ValueId> weight(STensor id) const;
  /// What `from` is of a parameter, `to` is too.
  void carry_weight(STensor from, STensor to);

  /// A node for an op of this view. Throws Misfit where its operands do not fit the op.
  graph::NodeId node(const OpView& view, graph::Op op, std::vector<graph::ValueId> inputs,
                     std::vector<graph::ValueId> outputs);
  /// Names the class of issue cost of a node (graph::Node::issued_as).
  void issue_as(graph::NodeId node, std::string_view host_class) {
    schedule_.graph.nodes[static_cast<std::size_t>(node)].issued_as = host_class;
  }
  schedule::ScheduledOp& emit(schedule::Work work, graph::NodeId node, Pass pass,
                              std::vector<STensor> reads, std::vector<STensor> writes);

  /// Products of a linear layer are found again in the backward pass by their module and extents.
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
  /// Number of the optimizer's step that runs now.
  [[nodiscard]] int optimizer_group() const { return optimizer_group_; }
  /// The step ran on a GPU.
  [[nodiscard]] bool is_gpu() const { return device_ != "cpu" && device_ != "meta"; }
  [[nodiscard]] Phase phase() const { return schedule_.phase; }

 private:
  using LinearKey = std::tuple<std::int32_t, std::int64_t, std::int64_t, std::int64_t>;

  void find_device();
  void find_leaves();
  void create_storages();
  void create_parameters();
  /// The tensor with this number, if it lies in a parameter or a buffer of the device.
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
  std::string device_;                         ///< `cuda`: type of the device that is looked at
  std::vector<schedule::StorageId> storages_;  ///< index: recorded storage; -1: elsewhere
  std::vector<STensor> tensors_;               ///< index: recorded tensor
  std::vector<graph::ValueId> values_;         ///< index: tensor of the schedule; -1: not yet
  std::vector<std::optional<graph::ValueId>> weights_;  ///< index: storage of the schedule
  std::vector<bool> is_leaf_;          ///< index: module; no module of it is called
  std::vector<std::size_t> first_op_;  ///< index: recorded op; number of ops before it
  /// Nodes of the forward pass by module and place of their op in graph::Op.
  std::map<std::pair<std::int32_t, std::size_t>, std::vector<graph::NodeId>> forward_nodes_;
  std::map<LinearKey, graph::NodeId> linear_;
  std::map<std::array<std::int64_t, 3>, graph::NodeId> linear_anywhere_;  ///< whatever the module
  int optimizer_group_ = 0;
  std::int32_t wrapped_ = 0;  ///< for the next op of the schedule
  bool several_roots_ = false;
  bool exchanges_ = false;  ///< there are other processes
};

/// One recorded op, seen through the lowering.
class OpView {
 public:
  OpView(Lowerer& lowerer, const Op& op);

  [[nodiscard]] Lowerer& lowerer() const { return *lowerer_; }
  /// Name without its namespace and the `_` of an op in place: `add`.
  [[nodiscard]] std::string_view name() const { return name_; }
  /// Name as the framework has it, without the namespace: `add_`.
  [[nodiscard]] std::string_view full_name() const { return full_name_; }
  [[nodiscard]] const Op& op() const { return *op_; }
  [[nodiscard]] const Place& place() const { return *place_; }
  [[nodiscard]] bool in_place() const { return !op_->writes.empty(); }

  /// Number of tensor arguments in the op's schema.
  [[nodiscard]] std::size_t arity() const { return op_->in.size(); }
  /// A tensor argument; no_tensor if it is absent, a number or elsewhere.
  [[nodiscard]] STensor in(std::size_t place) const;
  /// A tensor argument of a list: its tensors on the device.
  [[nodiscard]] std::vector<STensor> list(std::size_t place) const;
  [[nodiscard]] STensor out(std::size_t place) const;
  /// A result that is a list: its tensors on the device.
  [[nodiscard]] std::vector<STensor> out_list(std::size_t place) const;
  /// All tensors on the device, those of lists too, each once.
  [[nodiscard]] std::vector<STensor> all_in() const;
  [[nodiscard]] std::vector<STensor> all_out() const;
  /// Arguments that the op overwrites, then results with memory of their own.
  [[nodiscard]] std::vector<STensor> written() const;

  [[nodiscard]] std::int64_t integer(std::string_view key, std::int64_t otherwise) const;
  [[nodiscard]] double number_or(std::string_view key, double otherwise) const;
  [[nodiscard]] bool flag(std::string_view key, bool otherwise) const;
  [[nodiscard]] std::string text(std::string_view key) const;
  /// A list of whole numbers; one number is a list of one. Empty if the argument is not there.
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view key) const;
  /// The same for `rank` spatial dimensions: one number holds for all, none is `otherwise`.
  [[nodiscard]] std::vector<std::int64_t> spatial(std::string_view key, std::size_t rank,
                                                  std::int64_t otherwise) const;

  /// The op belongs to the backward pass and does not repeat forward work.
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

/// Turns one op into entries of the schedule. false: it has no rule for this use of the op.
using Rule = bool (*)(const OpView& view);

/// The rule of an op by its name; else the one for functions of elements.
[[nodiscard]] Rule rule_of(std::string_view name);

}  // namespace rooflab::recording
