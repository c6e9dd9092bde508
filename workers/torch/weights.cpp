// The formula: h = FNV-1a (64 bit) of the name; z = splitmix64(h + index); u, in [-1, 1), is
// (z >> 40) / 2^23 - 1. Weights of rank 2 and more are u * sqrt(6 / fan_in) with fan_in the product
// of all extents but the first (He et al. 2015, so that signals neither fade nor grow), a batch
// norm's running variance and the scales of norms 1 + u / 10, other vectors u / 10, inputs u.
// Sources: Fowler, Noll, Vo (FNV-1a); Steele, Lea, Flood, OOPSLA 2014 (splitmix64).

#include "weights.hpp"

#include <c10/core/GradMode.h>

#include <cmath>

#include "base/fnv1a.hpp"
#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "system/file_descriptor.hpp"

namespace rooflab::torch_worker {
namespace {

using graph::Value;
using graph::ValueId;
using graph::ValueKind;

/// What a value is for, as its reader says.
enum class Use : std::uint8_t {
  convolution_weight,
  convolution_bias,
  weight,
  bias,
  norm_scale,
  norm_shift,
  mean,
  variance,
  table,
  other
};

struct UseOf {
  Use use = Use::other;
  double fan_in = 1.0;
  double fan_out = 1.0;  ///< fan out of convolutions in PyTorch's way: groups do not lessen it
};

double fan_in_of(const graph::Shape& shape) {
  double product = 1.0;
  for (std::size_t i = 1; i < shape.rank(); ++i) product *= static_cast<double>(shape[i]);
  return std::max(product, 1.0);
}

std::vector<UseOf> uses_of(const graph::Graph& graph) {
  std::vector<UseOf> uses(graph.values.size());
  const auto set = [&](const graph::Node& node, std::size_t i, Use use, double fan_in) {
    if (i < node.inputs.size()) uses[static_cast<std::size_t>(node.inputs[i])] = {use, fan_in, 1.0};
  };
  for (const graph::Node& node : graph.nodes) {
    const auto product = [&](Use weight, Use bias) {
      const double fan_in = fan_in_of(graph.type(node.inputs[1]).shape);
      set(node, 1, weight, fan_in);
      set(node, 2, bias, fan_in);
    };
    const auto convolution = [&] {
      product(Use::convolution_weight, Use::convolution_bias);
      const graph::Shape& shape = graph.type(node.inputs[1]).shape;
      UseOf& weight = uses[static_cast<std::size_t>(node.inputs[1])];
      weight.fan_out =
          weight.fan_in * static_cast<double>(shape[0]) / static_cast<double>(shape[1]);
    };
    const auto norm = [&](bool has_statistics) {
      set(node, 1, Use::norm_scale, 1.0);
      set(node, 2, Use::norm_shift, 1.0);
      if (!has_statistics) return;
      set(node, 3, Use::mean, 1.0);
      set(node, 4, Use::variance, 1.0);
    };
    // All of a recurrent layer's are bounded by its hidden units.
    const auto recurrent = [&](const graph::Recurrent& op) {
      const std::size_t first = op.first_weight();
      const double hidden = fan_in_of(graph.type(node.inputs[first + 1]).shape);
      for (std::size_t i = first; i < node.inputs.size(); ++i) set(node, i, Use::weight, hidden);
    };
    std::visit(graph::Overloaded{[&](const graph::Conv&) { convolution(); },
                                 [&](const graph::Linear&) { product(Use::weight, Use::bias); },
                                 [&](const graph::BatchNorm&) { norm(true); },
                                 [&](const graph::LayerNorm&) { norm(false); },
                                 [&](const graph::RmsNorm&) { norm(false); },
                                 [&](const graph::GroupNorm&) { norm(false); },
                                 [&](const graph::Recurrent& op) { recurrent(op); },
                                 [&](const graph::Gather&) { set(node, 0, Use::table, 1.0); },
                                 [](const auto&) {}},
               node.op);
  }
  return uses;
}

at::Tensor random_value(const Value& value, const UseOf& use, bool he,
                        const at::TensorOptions& options) {
  const auto shape = extents(value.type.shape);
  if (!is_floating(value.type.dtype)) return at::zeros(shape, options);
  if (value.kind == ValueKind::input) return at::randn(shape, options);
  const double bound = 1.0 / std::sqrt(use.fan_in);
  switch (use.use) {
    case Use::convolution_weight:
      if (he) return at::empty(shape, options).normal_(0.0, std::sqrt(2.0 / use.fan_out));
      return at::empty(shape, options).uniform_(-bound, bound);
    case Use::convolution_bias:
      if (he) return at::zeros(shape, options);
      return at::empty(shape, options).uniform_(-bound, bound);
    case Use::weight:
    case Use::bias:
      return at::empty(shape, options).uniform_(-bound, bound);
    case Use::norm_scale:
    case Use::variance:
      return at::ones(shape, options);
    case Use::norm_shift:
    case Use::mean:
      return at::zeros(shape, options);
    case Use::table:
      return at::randn(shape, options);
    case Use::other:
      break;
  }
  // Position embeddings and class tokens; constants of a file, whose data is not at hand.
  return at::empty(shape, options).normal_(0.0, 0.02);
}

double uniform_of(std::uint64_t hash, std::uint64_t index) {
  std::uint64_t z = hash + index + 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  z ^= z >> 31U;
  return static_cast<double>(z >> 40U) / 8388608.0 - 1.0;
}

at::Tensor formula_value(const Value& value, const UseOf& use) {
  at::Tensor tensor = at::empty(extents(value.type.shape), at::kFloat);
  double scale = 0.1;
  double offset = 0.0;
  if (value.kind == ValueKind::input) {
    scale = 1.0;
  } else if (value.type.shape.rank() >= 2) {
    scale = std::sqrt(6.0 / fan_in_of(value.type.shape));
  } else if (use.use == Use::norm_scale || use.use == Use::variance) {
    offset = 1.0;
  }
  float* const data = tensor.data_ptr<float>();
  const std::uint64_t hash = fnv1a(value.name);
  for (std::int64_t i = 0; i < tensor.numel(); ++i) {
    data[i] = static_cast<float>(offset + scale * uniform_of(hash, static_cast<std::uint64_t>(i)));
  }
  return tensor;
}

/// Reads a dense tensor from a file.
at::Tensor file_value(const Value& value, const engine::ValueSource& source) {
  const std::string path = source.file.string();
  const auto fail = [&](const std::string& why) {
    throw Error(ErrorKind::input, format("'{}': {}", value.name, why), {},
                {path, {}, {}, source.offset});
  };
  at::Tensor tensor = at::empty(extents(value.type.shape), scalar_type(value.type.dtype));
  const RegularFile opened = open_regular_file(source.file);
  if (!opened.fault.empty()) fail("the file with its data cannot be read: " + opened.fault);
  const std::string fault = read_all_at(
      opened.file, source.offset,
      {static_cast<char*>(tensor.data_ptr()), static_cast<std::size_t>(value.type.bytes())});
  if (!fault.empty()) fail(fault);
  return tensor;
}

/// What the network itself says a constant holds. A floating scalar stays with the host and in full
/// precision, as a number in a module's code does: an argument of the kernel, no operand in memory.
at::Tensor constant_value(const Value& value, const at::TensorOptions& type) {
  const graph::ConstantData& data = *value.data;
  const auto shape = extents(value.type.shape);
  if (!is_floating(value.type.dtype)) {
    return at::tensor(data.integers, at::kLong).reshape(shape).to(type);
  }
  const at::Tensor numbers = at::tensor(data.numbers, at::kDouble).reshape(shape);
  return shape.empty() ? numbers : numbers.to(type);
}

at::Tensor value_of(const Value& value, const UseOf& use, const ValueOptions& options) {
  const at::TensorOptions type =
      at::TensorOptions().dtype(scalar_type(value.type.dtype)).device(options.device);
  if (value.data != nullptr) return constant_value(value, type);
  if (options.source == engine::WeightSource::formula && is_floating(value.type.dtype)) {
    return formula_value(value, use).to(type);
  }
  if (options.source == engine::WeightSource::file) {
    const auto found = options.files.find(value.name);
    if (found != options.files.end()) return file_value(value, found->second).to(options.device);
    if (value.kind == ValueKind::parameter) {
      throw Error(ErrorKind::input, format("the file does not hold the data of '{}'", value.name),
                  "--weights random runs the same network with other values");
    }
  }
  return random_value(value, use, options.source == engine::WeightSource::he, type);
}

}  // namespace

double formula_uniform(std::string_view name, std::uint64_t index) {
  return uniform_of(fnv1a(name), index);
}

std::vector<at::Tensor> make_values(const graph::Graph& graph, const ValueOptions& options) {
  const std::vector<UseOf> uses = uses_of(graph);
  std::vector<at::Tensor> values(graph.values.size());
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    const Value& value = graph.values[i];
    if (value.kind == ValueKind::result) continue;
    at::Tensor tensor = value_of(value, uses[i], options);
    if (options.channels_last && tensor.dim() == 4 && value.kind != ValueKind::buffer) {
      tensor = tensor.contiguous(at::MemoryFormat::ChannelsLast);
    }
    if (value.kind == ValueKind::parameter && is_floating(value.type.dtype)) {
      tensor.requires_grad_();
    }
    values[i] = std::move(tensor);
  }
  flatten_recurrent_weights(graph, values);
  return values;
}

void flatten_recurrent_weights(const graph::Graph& graph, std::vector<at::Tensor>& values) {
  const c10::NoGradGuard no_grad;
  for (const graph::Node& node : graph.nodes) {
    const auto* op = std::get_if<graph::Recurrent>(&node.op);
    if (op == nullptr) continue;
    const std::span<const ValueId> ids = std::span(node.inputs).subspan(op->first_weight());
    const bool by_cudnn = std::ranges::all_of(ids, [&values](ValueId id) {
      const at::Tensor& weight = values[graph::index_of(id)];
      return weight.defined() && at::cudnn_is_acceptable(weight);
    });
    if (!by_cudnn) continue;
    std::vector<at::Tensor> weights;
    for (const ValueId id : ids) {
      // A separate tensor, whose memory can be exchanged.
      at::Tensor& weight = values[graph::index_of(id)];
      weight = weight.clone().requires_grad_(weight.requires_grad());
      weights.push_back(weight);
    }
    // Modes of ATen's cuDNN layers: ReLU, tanh, LSTM, GRU.
    constexpr std::int64_t modes[] = {2, 3, 1, 0};
    at::_cudnn_rnn_flatten_weight(weights, static_cast<std::int64_t>(op->weights_each()),
                                  weights[0].size(1), modes[static_cast<std::size_t>(op->cell)],
                                  weights[1].size(1), 0, op->layers, op->batch_first,
                                  op->bidirectional);
  }
}

}  // namespace rooflab::torch_worker
