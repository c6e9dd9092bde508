#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "rooflab/graph/graph.hpp"

namespace rooflab::graph {

/// Builds a graph node by node in the order in which a framework would run it.
///
/// Node and parameter names are scope paths; repeated leaf names in one scope get `_1`, `_2`. Types
/// are inferred at once, so a wrong shape throws Error (input) where it is made.
///
///     GraphBuilder b("net");
///     ValueId x = b.input("input", {1, 3, 224, 224});
///     {
///       const auto scope = b.scope("layer1");
///       x = b.conv(x, "conv1", {.out_channels = 64, .kernel = 7, .stride = 2, .padding = 3});
///       x = b.unary(x, UnaryFunction::relu, "relu", true);
///     }
///     Graph g = std::move(b).finish({x});
class GraphBuilder {
 public:
  explicit GraphBuilder(std::string name);

  /// Leaves the scope when destroyed.
  class Scope {
   public:
    Scope(GraphBuilder& builder, std::string_view name);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    GraphBuilder& builder_;
    std::size_t outer_length_;
  };
  [[nodiscard]] Scope scope(std::string_view name) { return Scope(*this, name); }
  [[nodiscard]] Scope scope(std::int64_t index) { return Scope(*this, std::to_string(index)); }

  /// Nodes added while set are Node::training_only.
  void set_training_only(bool on) { training_only_ = on; }

  /// Constants of the batch and layer norms added from now on (1e-5 and 0.1 before).
  void set_norm_constants(double epsilon, double momentum = 0.1) {
    norm_epsilon_ = epsilon;
    norm_momentum_ = momentum;
  }
  [[nodiscard]] double norm_epsilon() const { return norm_epsilon_; }

  // Values. Names are relative to the current scope.
  ValueId input(std::string_view name, Shape shape, DType dtype = DType::f32);
  ValueId parameter(std::string_view name, Shape shape, DType dtype = DType::f32);
  ValueId buffer(std::string_view name, Shape shape, DType dtype = DType::f32);
  ValueId constant(std::string_view name, Shape shape, DType dtype);
  ValueId constant(std::string_view name, TensorType type,
                   std::shared_ptr<const ConstantData> data);
  ValueId scalar(std::string_view name, double value);  ///< an fp32 constant without extents

  [[nodiscard]] const Shape& shape(ValueId id) const { return graph_.type(id).shape; }

  /// Adds any op; `add` is for one output, `add_all` for several.
  ValueId add(Op op, std::vector<ValueId> inputs, std::string_view leaf);
  std::vector<ValueId> add_all(Op op, std::vector<ValueId> inputs, std::string_view leaf);

  struct ConvOptions {
    std::int64_t out_channels = 0;
    std::int64_t kernel = 1;
    std::int64_t stride = 1;
    std::int64_t padding = 0;
    std::int64_t dilation = 1;
    std::int64_t groups = 1;
    bool bias = true;
    std::int64_t kernel_w = 0;    ///< 0: as kernel
    std::int64_t padding_w = -1;  ///< -1: as padding
  };
  /// 2-d convolution with parameters `leaf.weight` (and `leaf.bias`).
  ValueId conv(ValueId x, std::string_view leaf, const ConvOptions& options);
  ValueId linear(ValueId x, std::string_view leaf, std::int64_t out_features, bool bias = true);
  /// Recurrent layers with parameters `leaf.weight_ih_l0`, `leaf.bias_hh_l1_reverse`, ... as in
  /// PyTorch's modules. `states` are h0 and, of an LSTM, c0; without them op.initial_state is
  /// unset.
  std::vector<ValueId> recurrent(ValueId x, std::string_view leaf, Recurrent op,
                                 std::int64_t hidden, std::vector<ValueId> states = {});
  ValueId batch_norm(ValueId x, std::string_view leaf);
  ValueId layer_norm(ValueId x, std::string_view leaf);  ///< over the last dimension, affine
  ValueId unary(ValueId x, UnaryFunction function, std::string_view leaf, bool inplace = false);
  ValueId binary(ValueId a, ValueId b, BinaryFunction function, std::string_view leaf,
                 bool inplace = false);

  struct PoolOptions {
    std::int64_t kernel = 2;
    std::int64_t stride = 2;
    std::int64_t padding = 0;
    bool ceil_mode = false;
  };
  ValueId pool(ValueId x, PoolKind kind, std::string_view leaf, const PoolOptions& options);
  ValueId adaptive_pool(ValueId x, std::string_view leaf, std::int64_t size);  ///< average
  ValueId dropout(ValueId x, std::string_view leaf, double p, bool inplace = false);
  ValueId concat(std::vector<ValueId> parts, std::int64_t axis, std::string_view leaf);
  /// Merges the dimensions from `first` on into one.
  ValueId flatten(ValueId x, std::size_t first, std::string_view leaf);
  ValueId reshape(ValueId x, std::vector<std::int64_t> target, std::string_view leaf);
  ValueId transpose(ValueId x, std::vector<std::int64_t> permutation, std::string_view leaf);

  /// The last node added also holds `id` (Node::holds).
  void hold(ValueId id) { graph_.nodes.back().holds.push_back(id); }
  /// Sets Node::issued_as of the last node.
  void issue_as(std::string_view host_class) { graph_.nodes.back().issued_as = host_class; }

  /// The finished graph, verified; the builder is spent.
  [[nodiscard]] Graph finish(std::vector<ValueId> outputs) &&;

 private:
  [[nodiscard]] std::string unique_name(std::string_view leaf);
  ValueId add_value(std::string_view leaf, ValueKind kind, TensorType type);

  Graph graph_;
  std::string scope_;                                ///< `layer1.0.`; empty or ends with a dot
  std::unordered_map<std::string, int> used_names_;  ///< path -> next suffix
  bool training_only_ = false;
  double norm_epsilon_ = 1e-5;
  double norm_momentum_ = 0.1;
};

/// The nodes of one torch.nn.MultiheadAttention (self-attention) in a graph.
struct AttentionModule {
  std::vector<NodeId> nodes = {};  ///< all of them, in order
  NodeId attention = -1;           ///< the node that represents them in reports
  ValueId x = -1;                  ///< [N, S, E]
  ValueId in_weight = -1;          ///< [3E, E]
  ValueId in_bias = -1;
  ValueId out_weight = -1;  ///< [E, E]
  ValueId out_bias = -1;
  ValueId y = -1;          ///< [N, S, E]
  std::int64_t width = 0;  ///< E
  std::int64_t heads = 0;
};

/// Adds torch.nn.MultiheadAttention (batch_first, need_weights=False, query, key and value the
/// same) as PyTorch 2.x runs it in training, op by op, because its views and copies decide what
/// memory holds. x is [N, S, E], the result likewise; `heads` divides E.
[[nodiscard]] ValueId add_attention_module(GraphBuilder& b, ValueId x, std::int64_t heads);

/// Modules that PyTorch runs in evaluation, outside autocast, as one call
/// (`_native_multi_head_attention`, its "fast path") instead of node by node. A module is
/// recognised by the whole list of its nodes as add_attention_module() spells it; anything else is
/// left alone. Source: PyTorch, torch.nn.MultiheadAttention.forward.
[[nodiscard]] std::vector<AttentionModule> find_attention_modules(const Graph& graph);

/// The modules that are open while nodes run in order, and the arguments that they keep alive: a
/// module's argument lives until the module returns, for its caller still names it. Modules are the
/// scopes of the nodes' names. `Argument` is a value or a tensor, cheap to copy.
template <class Argument>
class ModuleStack {
 public:
  /// Call before the node at `position` of the order runs. Modules that do not contain the node
  /// return, innermost first, each with a call `returned(arguments)`; then the modules that contain
  /// it are entered. `node` must outlive this object. Returns the number of open modules.
  template <class Returned>
  std::size_t enter(std::string_view node, std::size_t position, Returned returned) {
    while (!open_.empty() && !node.starts_with(open_.back().path)) pop(returned);
    const std::size_t open_before = open_.size();
    const std::size_t begin = open_.empty() ? 0 : open_.back().path.size();
    for (std::size_t dot = node.find('.', begin); dot != std::string_view::npos;
         dot = node.find('.', dot + 1)) {
      open_.push_back({node.substr(0, dot + 1), position, {}});
    }
    return open_.size() - open_before;
  }

  /// Call for each argument that a node reads. `made`: position at which its memory already
  /// existed. The outermost module entered since then keeps it alive.
  void read(Argument argument, std::size_t made) {
    const auto keeper =
        std::ranges::find_if(open_, [made](const Module& module) { return made <= module.first; });
    if (keeper != open_.end()) keeper->arguments.push_back(argument);
  }

  /// Call after the last node: all open modules return.
  template <class Returned>
  void finish(Returned returned) {
    while (!open_.empty()) pop(returned);
  }

 private:
  struct Module {
    std::string_view path = {};  ///< ends with a dot
    std::size_t first = {};      ///< position of its first node
    std::vector<Argument> arguments = {};
  };

  template <class Returned>
  void pop(Returned& returned) {
    returned(open_.back().arguments);
    open_.pop_back();
  }

  std::vector<Module> open_;
};

}  // namespace rooflab::graph
