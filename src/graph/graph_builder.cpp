#include "rooflab/graph/graph_builder.hpp"

#include "base/assert.hpp"
#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::graph {

GraphBuilder::GraphBuilder(std::string name) { graph_.name = std::move(name); }

GraphBuilder::Scope::Scope(GraphBuilder& builder, std::string_view name)
    : builder_(builder), outer_length_(builder.scope_.size()) {
  builder_.scope_.append(name).push_back('.');
}

GraphBuilder::Scope::~Scope() { builder_.scope_.resize(outer_length_); }

std::string GraphBuilder::unique_name(std::string_view leaf) {
  std::string name = scope_ + std::string(leaf);
  int& uses = used_names_[name];
  if (uses++ == 0) return name;
  return format("{}_{}", name, uses - 1);
}

ValueId GraphBuilder::add_value(std::string_view leaf, ValueKind kind, TensorType type) {
  graph_.values.push_back({scope_ + std::string(leaf), kind, std::move(type), -1});
  return static_cast<ValueId>(graph_.values.size() - 1);
}

ValueId GraphBuilder::input(std::string_view name, Shape shape, DType dtype) {
  const ValueId id = add_value(name, ValueKind::input, {dtype, std::move(shape)});
  graph_.inputs.push_back(id);
  return id;
}

ValueId GraphBuilder::parameter(std::string_view name, Shape shape, DType dtype) {
  return add_value(name, ValueKind::parameter, {dtype, std::move(shape)});
}

ValueId GraphBuilder::buffer(std::string_view name, Shape shape, DType dtype) {
  return add_value(name, ValueKind::buffer, {dtype, std::move(shape)});
}

ValueId GraphBuilder::constant(std::string_view name, Shape shape, DType dtype) {
  return add_value(name, ValueKind::constant, {dtype, std::move(shape)});
}

ValueId GraphBuilder::constant(std::string_view name, TensorType type,
                               std::shared_ptr<const ConstantData> data) {
  const ValueId id = add_value(name, ValueKind::constant, std::move(type));
  graph_.value(id).data = std::move(data);
  return id;
}

ValueId GraphBuilder::scalar(std::string_view name, double value) {
  return constant(name, {DType::f32, {}},
                  std::make_shared<ConstantData>(ConstantData{{}, {value}}));
}

std::vector<ValueId> GraphBuilder::add_all(Op op, std::vector<ValueId> inputs,
                                           std::string_view leaf) {
  std::vector<TensorType> operands;
  operands.reserve(inputs.size());
  for (const ValueId id : inputs) operands.push_back(graph_.type(id));
  std::string name = unique_name(leaf);
  std::vector<TensorType> results;
  try {
    results = infer_types(op, operands);
  } catch (const Error& error) {
    throw Error(error.kind(), format("node '{}': {}", name, error.what()), error.hint(),
                error.location());
  }
  const auto node_id = static_cast<NodeId>(graph_.nodes.size());
  std::vector<ValueId> outputs;
  for (std::size_t i = 0; i < results.size(); ++i) {
    std::string value_name = results.size() == 1 ? name : format("{}:{}", name, i);
    graph_.values.push_back(
        {std::move(value_name), ValueKind::result, std::move(results[i]), node_id});
    outputs.push_back(static_cast<ValueId>(graph_.values.size() - 1));
  }
  graph_.nodes.push_back(
      {std::move(name), std::move(op), std::move(inputs), outputs, training_only_});
  return outputs;
}

ValueId GraphBuilder::add(Op op, std::vector<ValueId> inputs, std::string_view leaf) {
  const std::vector<ValueId> outputs = add_all(std::move(op), std::move(inputs), leaf);
  ROOFLAB_ASSERT(outputs.size() == 1);
  return outputs.front();
}

ValueId GraphBuilder::conv(ValueId x, std::string_view leaf, const ConvOptions& options) {
  const std::int64_t kernel_w = options.kernel_w == 0 ? options.kernel : options.kernel_w;
  const std::int64_t padding_w = options.padding_w < 0 ? options.padding : options.padding_w;
  const std::int64_t in_channels = shape(x)[1];
  std::vector<ValueId> inputs = {x};
  {
    const Scope inner(*this, leaf);
    inputs.push_back(parameter(
        "weight", {options.out_channels, in_channels / options.groups, options.kernel, kernel_w}));
    if (options.bias) inputs.push_back(parameter("bias", {options.out_channels}));
  }
  Conv op;
  op.kernel = {options.kernel, kernel_w};
  op.stride = {options.stride, options.stride};
  op.padding_begin = op.padding_end = {options.padding, padding_w};
  op.dilation = {options.dilation, options.dilation};
  op.groups = options.groups;
  return add(std::move(op), std::move(inputs), leaf);
}

ValueId GraphBuilder::linear(ValueId x, std::string_view leaf, std::int64_t out_features,
                             bool bias) {
  std::vector<ValueId> inputs = {x};
  {
    const Scope inner(*this, leaf);
    inputs.push_back(parameter("weight", {out_features, shape(x).from_end(1)}));
    if (bias) inputs.push_back(parameter("bias", {out_features}));
  }
  return add(Linear{}, std::move(inputs), leaf);
}

std::vector<ValueId> GraphBuilder::recurrent(ValueId x, std::string_view leaf, Recurrent op,
                                             std::int64_t hidden, std::vector<ValueId> states) {
  op.initial_state = !states.empty();
  const DType dtype = graph_.type(x).dtype;
  const std::int64_t gates = op.gates() * hidden;
  std::vector<ValueId> inputs = {x};
  inputs.insert(inputs.end(), states.begin(), states.end());
  {
    const Scope inner(*this, leaf);
    for (std::int64_t layer = 0; layer < op.layers; ++layer) {
      const std::int64_t width = layer == 0 ? shape(x).from_end(1) : op.directions() * hidden;
      for (std::int64_t direction = 0; direction < op.directions(); ++direction) {
        const std::string place = format("l{}{}", layer, direction == 0 ? "" : "_reverse");
        inputs.push_back(parameter(format("weight_ih_{}", place), {gates, width}, dtype));
        inputs.push_back(parameter(format("weight_hh_{}", place), {gates, hidden}, dtype));
        if (!op.bias) continue;
        inputs.push_back(parameter(format("bias_ih_{}", place), {gates}, dtype));
        inputs.push_back(parameter(format("bias_hh_{}", place), {gates}, dtype));
      }
    }
  }
  return add_all(op, std::move(inputs), leaf);
}

ValueId GraphBuilder::batch_norm(ValueId x, std::string_view leaf) {
  const std::int64_t channels = shape(x)[1];
  std::vector<ValueId> inputs = {x};
  {
    const Scope inner(*this, leaf);
    inputs.push_back(parameter("weight", {channels}));
    inputs.push_back(parameter("bias", {channels}));
    inputs.push_back(buffer("running_mean", {channels}));
    inputs.push_back(buffer("running_var", {channels}));
  }
  return add(BatchNorm{norm_epsilon_, norm_momentum_}, std::move(inputs), leaf);
}

ValueId GraphBuilder::layer_norm(ValueId x, std::string_view leaf) {
  const std::int64_t features = shape(x).from_end(1);
  std::vector<ValueId> inputs = {x};
  {
    const Scope inner(*this, leaf);
    inputs.push_back(parameter("weight", {features}));
    inputs.push_back(parameter("bias", {features}));
  }
  return add(LayerNorm{1, norm_epsilon_}, std::move(inputs), leaf);
}

ValueId GraphBuilder::unary(ValueId x, UnaryFunction function, std::string_view leaf,
                            bool inplace) {
  return add(Unary{function, inplace}, {x}, leaf);
}

ValueId GraphBuilder::binary(ValueId a, ValueId b, BinaryFunction function, std::string_view leaf,
                             bool inplace) {
  return add(Binary{function, inplace}, {a, b}, leaf);
}

ValueId GraphBuilder::pool(ValueId x, PoolKind kind, std::string_view leaf,
                           const PoolOptions& options) {
  Pool op;
  op.kind = kind;
  op.kernel = {options.kernel, options.kernel};
  op.stride = {options.stride, options.stride};
  op.padding_begin = op.padding_end = {options.padding, options.padding};
  op.dilation = {1, 1};
  op.ceil_mode = options.ceil_mode;
  return add(std::move(op), {x}, leaf);
}

ValueId GraphBuilder::adaptive_pool(ValueId x, std::string_view leaf, std::int64_t size) {
  return add(AdaptivePool{PoolKind::average, {size, size}}, {x}, leaf);
}

ValueId GraphBuilder::dropout(ValueId x, std::string_view leaf, double p, bool inplace) {
  return add(Dropout{p, inplace}, {x}, leaf);
}

ValueId GraphBuilder::concat(std::vector<ValueId> parts, std::int64_t axis, std::string_view leaf) {
  return add(Concat{axis}, std::move(parts), leaf);
}

ValueId GraphBuilder::flatten(ValueId x, std::size_t first, std::string_view leaf) {
  const Shape& from = shape(x);
  std::vector<std::int64_t> target(from.dims().begin(),
                                   from.dims().begin() + static_cast<std::ptrdiff_t>(first));
  target.push_back(-1);
  return add(Reshape{std::move(target)}, {x}, leaf);
}

ValueId GraphBuilder::reshape(ValueId x, std::vector<std::int64_t> target, std::string_view leaf) {
  return add(Reshape{std::move(target)}, {x}, leaf);
}

ValueId GraphBuilder::transpose(ValueId x, std::vector<std::int64_t> permutation,
                                std::string_view leaf) {
  return add(Transpose{std::move(permutation)}, {x}, leaf);
}

Graph GraphBuilder::finish(std::vector<ValueId> outputs) && {
  graph_.outputs = std::move(outputs);
  require_sound(graph_, format("building '{}'", graph_.name));
  return std::move(graph_);
}

}  // namespace rooflab::graph
