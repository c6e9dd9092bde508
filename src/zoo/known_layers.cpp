// One table row for a layer: its arguments in PyTorch's order (torch.nn, "Convolution Layers",
// "Pooling layers", ...) and a function that adds it to a graph.

#include "known_layers.hpp"

#include <algorithm>
#include <memory>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::zoo {

void LayerRequest::misfit(std::string_view why) const {
  throw Error(ErrorKind::usage,
              format("{} does not fit an input of {}: {}", name, input.to_string(), why),
              "NxCxHxW is the layer's whole input, batch first");
}

void LayerRequest::need_rank(std::size_t least, std::string_view form) const {
  if (input.rank() < least) misfit(format("it needs {}", form));
}

void LayerRequest::need_extent(std::size_t axis, std::int64_t wanted,
                               std::string_view argument) const {
  if (input[axis] != wanted) {
    misfit(format("{} is {}, dimension {} is {}", argument, wanted, axis, input[axis]));
  }
}

void LayerRequest::need_not_in_place() const {
  if (!arguments.flag("inplace")) return;
  throw Error(ErrorKind::usage,
              format("{} cannot work in place: every step takes the same input", name),
              "without inplace; in a network the layer before it computes its operand again");
}

graph::ValueId LayerRequest::operand(std::string_view operand_name) const {
  return given ? *given : b.input(operand_name, input);
}

std::string LayerRequest::parameter_name(std::string_view parameter) const {
  return format("{}.{}", leaf, parameter);
}

namespace {

using graph::Shape;
using graph::ValueId;

// ---- matrix layers --------------------------------------------------------------------------

ValueId add_convolution(const LayerRequest& request, std::size_t rank) {
  const LayerArguments& given = request.arguments;
  if (request.input.rank() != rank + 2) {
    request.misfit(format("it needs {} dimensions: batch, channels and {} more", rank + 2, rank));
  }
  const std::int64_t in = given.integer("in_channels", 1);
  const std::int64_t out = given.integer("out_channels", 1);
  const std::int64_t groups = given.integer("groups", 1);
  request.need_extent(1, in, "in_channels");
  if (in % groups != 0 || out % groups != 0) {
    given.fail("groups", format("a divisor of {} and {}", in, out));
  }
  graph::Conv op;
  op.kernel = given.extents("kernel_size", rank, 1);
  op.stride = given.extents("stride", rank, 1);
  op.dilation = given.extents("dilation", rank, 1);
  op.groups = groups;
  if (given.text("padding") == "same") {
    for (std::size_t i = 0; i < rank; ++i) {
      if (op.stride[i] != 1) given.fail("padding", "a number where the stride is not 1");
      const std::int64_t all = op.dilation[i] * (op.kernel[i] - 1);
      op.padding_begin.push_back(all / 2);
      op.padding_end.push_back(all - all / 2);
    }
  } else {
    op.padding_begin = op.padding_end = given.extents("padding", rank, 0);
  }
  std::vector<std::int64_t> weight = {out, in / groups};
  weight.insert(weight.end(), op.kernel.begin(), op.kernel.end());
  std::vector<ValueId> inputs = {
      request.x(), request.b.parameter(request.parameter_name("weight"), Shape(weight))};
  if (given.flag("bias"))
    inputs.push_back(request.b.parameter(request.parameter_name("bias"), {out}));
  return request.b.add(std::move(op), std::move(inputs), request.leaf);
}

ValueId add_linear(const LayerRequest& request) {
  request.need_rank(2, "a batch and features");
  request.need_extent(request.input.rank() - 1, request.arguments.integer("in_features", 1),
                      "in_features");
  return request.b.linear(request.x(), request.leaf, request.arguments.integer("out_features", 1),
                          request.arguments.flag("bias"));
}

/// Heads of [N, L, E] as views, [N, L, h, E / h] turned to [N, h, L, E / h].
ValueId add_attention(const LayerRequest& request) {
  const Shape& input = request.input;
  if (input.rank() != 3 && input.rank() != 4) {
    request.misfit("it needs batch x length x features, or batch x heads x length x features");
  }
  std::vector<ValueId> operands;
  const bool whole = input.rank() == 3;
  const std::int64_t fallback = whole ? 1 : input[1];
  const std::int64_t heads =
      request.arguments.given("heads") ? request.arguments.integer("heads", 1) : fallback;
  if (!whole) request.need_extent(1, heads, "heads");
  if (whole && input[2] % heads != 0) request.misfit(format("{} heads do not divide it", heads));
  for (const char* name : {"query", "key", "value"}) {
    ValueId x = request.operand(name);
    if (whole) {
      const auto scope = request.b.scope(name);
      x = request.b.reshape(x, {input[0], input[1], heads, input[2] / heads}, "split");
      x = request.b.transpose(x, {0, 2, 1, 3}, "transpose");
    }
    operands.push_back(x);
  }
  return request.b.add(graph::Attention{request.arguments.flag("causal")}, std::move(operands),
                       request.leaf);
}

ValueId add_recurrent(const LayerRequest& request, graph::RecurrentCell cell) {
  const LayerArguments& given = request.arguments;
  if (request.input.rank() != 3) request.misfit("it needs batch x steps x features");
  request.need_extent(2, given.integer("input_size", 1), "input_size");
  if (!given.flag("batch_first")) given.fail("batch_first", "true: an input has its batch first");
  graph::Recurrent op{.cell = cell, .batch_first = true};
  op.layers = given.integer("num_layers", 1);
  op.bidirectional = given.flag("bidirectional");
  op.bias = given.flag("bias");
  op.dropout = given.number("dropout");
  if (op.layers > graph::most_recurrent_layers) {
    given.fail("num_layers", format("at most {}", graph::most_recurrent_layers));
  }
  if (!(op.dropout >= 0.0 && op.dropout <= 1.0)) given.fail("dropout", "a probability");
  if (given.given("nonlinearity")) {
    const std::string function = given.text("nonlinearity");
    if (function == "relu") op.cell = graph::RecurrentCell::rnn_relu;
    if (function != "relu" && function != "tanh") given.fail("nonlinearity", "tanh or relu");
  }
  return request.b.recurrent(request.x(), request.leaf, op, given.integer("hidden_size", 1))[0];
}

// ---- normalisation --------------------------------------------------------------------------

ValueId add_batch_norm(const LayerRequest& request, std::size_t rank) {
  if (request.input.rank() != rank + 2) request.misfit(format("it needs {} dimensions", rank + 2));
  request.need_extent(1, request.arguments.integer("num_features", 1), "num_features");
  return request.b.batch_norm(request.x(), request.leaf);
}

ValueId add_layer_norm(const LayerRequest& request) {
  request.need_rank(2, "a batch and features");
  request.need_extent(request.input.rank() - 1, request.arguments.integer("normalized_shape", 1),
                      "normalized_shape");
  return request.b.layer_norm(request.x(), request.leaf);
}

ValueId add_group_norm(const LayerRequest& request) {
  request.need_rank(3, "batch, channels and more");
  const std::int64_t channels = request.arguments.integer("num_channels", 1);
  const std::int64_t groups = request.arguments.integer("num_groups", 1);
  request.need_extent(1, channels, "num_channels");
  if (channels % groups != 0) {
    request.arguments.fail("num_groups", format("a divisor of {}", channels));
  }
  return request.b.add(
      graph::GroupNorm{groups},
      {request.x(), request.b.parameter(request.parameter_name("weight"), {channels}),
       request.b.parameter(request.parameter_name("bias"), {channels})},
      request.leaf);
}

// ---- elementwise ----------------------------------------------------------------------------

ValueId add_softmax(const LayerRequest& request, bool log) {
  const std::optional<std::int64_t> axis = parse_integer(request.arguments.text("dim"));
  const auto rank = static_cast<std::int64_t>(request.input.rank());
  if (!axis || *axis < -rank || *axis >= rank) {
    request.arguments.fail("dim", format("a dimension of {}", request.input.to_string()));
  }
  return request.b.add(graph::Softmax{*axis, log}, {request.x()}, request.leaf);
}

ValueId add_dropout(const LayerRequest& request) {
  const double p = request.arguments.number("p");
  if (!(p >= 0.0 && p < 1.0)) request.arguments.fail("p", "a probability from 0 to below 1");
  request.need_not_in_place();
  return request.b.dropout(request.x(), request.leaf, p);
}

ValueId add_gelu(const LayerRequest& request) {
  const std::string approximate = request.arguments.text("approximate");
  if (approximate != "none" && approximate != "tanh") {
    request.arguments.fail("approximate", "none or tanh");
  }
  return request.b.unary(
      request.x(),
      approximate == "tanh" ? graph::UnaryFunction::gelu_tanh : graph::UnaryFunction::gelu,
      request.leaf);
}

// ---- pooling --------------------------------------------------------------------------------

ValueId add_pool(const LayerRequest& request, graph::PoolKind kind, std::size_t rank) {
  const LayerArguments& given = request.arguments;
  if (request.input.rank() != rank + 2) request.misfit(format("it needs {} dimensions", rank + 2));
  graph::Pool op;
  op.kind = kind;
  op.kernel = given.extents("kernel_size", rank, 1);
  // PyTorch: the stride is the kernel where it is not said.
  op.stride = given.given("stride") ? given.extents("stride", rank, 1) : op.kernel;
  op.padding_begin = op.padding_end = given.extents("padding", rank, 0);
  op.dilation = kind == graph::PoolKind::max ? given.extents("dilation", rank, 1)
                                             : std::vector<std::int64_t>(rank, 1);
  op.ceil_mode = given.flag("ceil_mode");
  for (std::size_t i = 0; i < rank; ++i) {
    if (2 * op.padding_begin[i] > op.kernel[i]) given.fail("padding", "at most half the kernel");
  }
  return request.b.add(std::move(op), {request.x()}, request.leaf);
}

ValueId add_adaptive_pool(const LayerRequest& request, graph::PoolKind kind, std::size_t rank) {
  if (request.input.rank() != rank + 2) request.misfit(format("it needs {} dimensions", rank + 2));
  return request.b.add(graph::AdaptivePool{kind, request.arguments.extents("output_size", rank, 1)},
                       {request.x()}, request.leaf);
}

// ---- the table ------------------------------------------------------------------------------

/// `conv1d`, `conv2d`, ... as views that live as long as the program.
std::string_view ranked(std::string_view name, std::size_t rank) {
  static std::vector<std::unique_ptr<std::string>> names;
  names.push_back(std::make_unique<std::string>(format("{}{}d", name, rank)));
  return *names.back();
}

void add_ranked_layers(std::vector<Layer>& layers, std::size_t rank) {
  const std::vector<LayerArgument> convolution = {
      {"in_channels", "in", ""}, {"out_channels", "out", ""}, {"kernel_size", "k", ""},
      {"stride", "s", "1"},      {"padding", "p", "0"},       {"dilation", "d", "1"},
      {"groups", "g", "1"},      {"bias", "b", "true"}};
  const std::vector<LayerArgument> max = {{"kernel_size", "k", ""},
                                          {"stride", "s", "kernel_size"},
                                          {"padding", "p", "0"},
                                          {"dilation", "d", "1"},
                                          {"ceil_mode", "ceil", "false"}};
  const std::vector<LayerArgument> average = {{"kernel_size", "k", ""},
                                              {"stride", "s", "kernel_size"},
                                              {"padding", "p", "0"},
                                              {"ceil_mode", "ceil", "false"}};
  const std::vector<LayerArgument> adaptive = {{"output_size", "size", ""}};
  layers.push_back({{ranked("conv", rank), convolution},
                    [rank](const LayerRequest& r) { return add_convolution(r, rank); }});
  layers.push_back({{ranked("batchnorm", rank), {{"num_features", "n", ""}}},
                    [rank](const LayerRequest& r) { return add_batch_norm(r, rank); }});
  layers.push_back({{ranked("maxpool", rank), max}, [rank](const LayerRequest& r) {
                      return add_pool(r, graph::PoolKind::max, rank);
                    }});
  layers.push_back({{ranked("avgpool", rank), average}, [rank](const LayerRequest& r) {
                      return add_pool(r, graph::PoolKind::average, rank);
                    }});
  layers.push_back({{ranked("adaptive_avgpool", rank), adaptive}, [rank](const LayerRequest& r) {
                      return add_adaptive_pool(r, graph::PoolKind::average, rank);
                    }});
  layers.push_back({{ranked("adaptive_maxpool", rank), adaptive}, [rank](const LayerRequest& r) {
                      return add_adaptive_pool(r, graph::PoolKind::max, rank);
                    }});
}

void add_recurrent_layers(std::vector<Layer>& layers) {
  using graph::RecurrentCell;
  const auto arguments = [](bool chooses_function) {
    std::vector<LayerArgument> all = {
        {"input_size", "in", ""}, {"hidden_size", "h", ""}, {"num_layers", "l", "1"}};
    if (chooses_function) all.push_back({"nonlinearity", "", "tanh"});
    all.insert(all.end(), {{"bias", "b", "true"},
                           {"batch_first", "", "true"},
                           {"dropout", "", "0"},
                           {"bidirectional", "", "false"}});
    return all;
  };
  for (const auto& [name, cell] : {std::pair("lstm", RecurrentCell::lstm),
                                   {"gru", RecurrentCell::gru},
                                   {"rnn", RecurrentCell::rnn_tanh}}) {
    layers.push_back({{name, arguments(cell == RecurrentCell::rnn_tanh)},
                      [cell = cell](const LayerRequest& r) { return add_recurrent(r, cell); }});
  }
}

void add_activations(std::vector<Layer>& layers) {
  using graph::UnaryFunction;
  for (const UnaryFunction function :
       {UnaryFunction::relu, UnaryFunction::relu6, UnaryFunction::leaky_relu, UnaryFunction::elu,
        UnaryFunction::selu, UnaryFunction::celu, UnaryFunction::silu, UnaryFunction::mish,
        UnaryFunction::hardsigmoid, UnaryFunction::hardswish, UnaryFunction::hardtanh}) {
    layers.push_back(
        {{name_of(function), {{"inplace", "", "false"}}}, [function](const LayerRequest& r) {
           r.need_not_in_place();
           return r.b.unary(r.x(), function, r.leaf);
         }});
  }
  for (const UnaryFunction function : {UnaryFunction::sigmoid, UnaryFunction::tanh,
                                       UnaryFunction::softplus, UnaryFunction::softsign}) {
    layers.push_back({{name_of(function), {}}, [function](const LayerRequest& r) {
                        return r.b.unary(r.x(), function, r.leaf);
                      }});
  }
}

std::vector<Layer> make_layers() {
  std::vector<Layer> layers;
  for (const std::size_t rank : {2U, 1U, 3U}) add_ranked_layers(layers, rank);
  layers.push_back(
      {{"linear", {{"in_features", "in", ""}, {"out_features", "out", ""}, {"bias", "b", "true"}}},
       add_linear});
  layers.push_back({{"attention", {{"heads", "h", "1"}, {"causal", "", "false"}}}, add_attention});
  add_recurrent_layers(layers);
  layers.push_back({{"layernorm", {{"normalized_shape", "n", ""}}}, add_layer_norm});
  layers.push_back(
      {{"groupnorm", {{"num_groups", "g", ""}, {"num_channels", "n", ""}}}, add_group_norm});
  layers.push_back({{"local_response_norm", {{"size", "n", ""}}}, [](const LayerRequest& r) {
                      r.need_rank(3, "batch, channels and more");
                      return r.b.add(graph::LocalResponseNorm{r.arguments.integer("size", 1)},
                                     {r.x()}, r.leaf);
                    }});
  add_activations(layers);
  layers.push_back({{"gelu", {{"approximate", "", "none"}}}, add_gelu});
  layers.push_back({{"softmax", {{"dim", "", "-1"}}},
                    [](const LayerRequest& r) { return add_softmax(r, false); }});
  layers.push_back({{"log_softmax", {{"dim", "", "-1"}}},
                    [](const LayerRequest& r) { return add_softmax(r, true); }});
  layers.push_back({{"dropout", {{"p", "", "0.5"}, {"inplace", "", "false"}}}, add_dropout});
  return layers;
}

/// `Conv2d`, `max_pool2d` and `maxpool` mean what they look like.
std::string plain(std::string_view name) {
  std::string bare;
  for (const char c : lowercase(name)) {
    if (c != '_') bare += c;
  }
  return bare;
}

/// What is between a layer's parentheses; empty without them.
std::string_view between_parentheses(std::string_view whole) {
  const std::size_t open = whole.find('(');
  if (open == std::string_view::npos) return {};
  if (!whole.ends_with(')')) {
    throw Error(ErrorKind::usage, format("layer '{}' has no closing parenthesis", whole),
                "for example conv2d(3,128,k=3,p=1)");
  }
  return whole.substr(open + 1, whole.size() - open - 2);
}

}  // namespace

const std::vector<Layer>& layers() {
  static const std::vector<Layer> all = make_layers();
  return all;
}

const Layer& find_layer(std::string_view name) {
  std::vector<std::string> names;
  for (const Layer& layer : layers()) {
    const std::string known = plain(layer.form.name);
    if (known == plain(name) || known == plain(name) + "2d") return layer;
    names.emplace_back(layer.form.name);
  }
  const std::string all = format("one of {}", join(names, ", "));
  throw Error(ErrorKind::usage, format("unknown layer '{}'", name),
              near_hint(lowercase(name), names, all, all));
}

WrittenLayer::WrittenLayer(std::string_view text)
    : text_(trim(text)),
      layer_(&find_layer(trim(std::string_view(text_).substr(0, text_.find('('))))),
      arguments_(layer_->form, between_parentheses(text_)) {}

graph::ValueId WrittenLayer::add_to(graph::GraphBuilder& builder, std::string_view leaf,
                                    const graph::Shape& input,
                                    std::optional<graph::ValueId> given) const {
  try {
    return layer_->add({builder, arguments_, input, layer_->form.name, leaf, given});
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::usage) throw;
    // Shape rules speak of a node; here it is what the user typed.
    throw Error(
        ErrorKind::usage,
        format("{} does not fit an input of {}: {}", text_, input.to_string(), error.what()),
        layer_->form.to_string());
  }
}

}  // namespace rooflab::zoo
