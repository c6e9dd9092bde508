// Convolution, matrix products, attention, recurrent layers, normalisation and pooling, called as
// PyTorch's modules call them (torch.nn.functional), so that the same kernels run.

#include <cmath>

#include "operations.hpp"
#include "torch_version.hpp"

namespace rooflab::torch_worker {
namespace {

c10::optional<at::Tensor> optional_operand(Operands in, std::size_t i) {
  return i < in.size() ? c10::optional<at::Tensor>(in[i]) : c10::nullopt;
}

/// ATen pads both sides alike; what is uneven is padded before, in the order of `pad`: last
/// dimension first, begin and end.
template <class Window>
at::Tensor padded(const Window& op, const at::Tensor& x, double value,
                  std::vector<std::int64_t>& padding) {
  padding = op.padding_begin;
  if (op.padding_begin == op.padding_end) return x;
  std::vector<std::int64_t> pads;
  for (std::size_t i = op.padding_begin.size(); i-- > 0;) {
    pads.push_back(op.padding_begin[i]);
    pads.push_back(op.padding_end[i]);
  }
  padding.assign(padding.size(), 0);
  return at::constant_pad_nd(x, extents(pads), value);
}

at::Tensor attention_by_hand(const graph::Attention& op, const at::Tensor& q, const at::Tensor& k,
                             const at::Tensor& v, const c10::optional<at::Tensor>& mask) {
  const double scale = op.scale.value_or(1.0 / std::sqrt(static_cast<double>(q.size(-1))));
  at::Tensor scores = at::matmul(q * scale, k.transpose(-2, -1));
  if (mask) scores = scores + *mask;
  if (op.causal) {
    const at::Tensor hidden =
        at::ones({q.size(-2), k.size(-2)}, q.options().dtype(at::kBool)).triu(1);
    scores = scores.masked_fill(hidden, -std::numeric_limits<double>::infinity());
  }
  return at::matmul(at::softmax(scores, -1), v);
}

}  // namespace

at::Tensor run(const graph::Conv& op, Operands in, Mode) {
  std::vector<std::int64_t> padding;
  const at::Tensor x = op.transposed ? in[0] : padded(op, in[0], 0.0, padding);
  const c10::optional<at::Tensor> bias = optional_operand(in, 2);
  if (!op.transposed && op.kernel.size() == 2) {
    return at::conv2d(x, in[1], bias, extents(op.stride), extents(padding), extents(op.dilation),
                      op.groups);
  }
  if (op.transposed && op.padding_begin != op.padding_end) {
    throw Unsupported{"a transposed convolution with uneven padding"};
  }
  std::vector<std::int64_t> output_padding = op.output_padding;
  output_padding.resize(op.kernel.size(), 0);
  if (op.transposed) padding = op.padding_begin;
  return at::convolution(x, in[1], bias, extents(op.stride), extents(padding), extents(op.dilation),
                         op.transposed, extents(output_padding), op.groups);
}

at::Tensor run(const graph::Linear& op, Operands in, Mode) {
  // at::linear transposes back what is turned here, so it multiplies by the matrix as it is stored.
  const at::Tensor weight = op.weight_in_by_out ? in[1].t() : in[1];
  return at::linear(in[0], weight, optional_operand(in, 2));
}

at::Tensor run(const graph::MatMul&, Operands in, Mode) { return at::matmul(in[0], in[1]); }

at::Tensor run(const graph::Einsum& op, Operands in, Mode) {
  const std::vector<at::Tensor> operands(in.begin(), in.end());
  return at::einsum(op.equation, operands);
}

at::Tensor run(const graph::Attention& op, Operands in, Mode) {
  at::Tensor k = in[1];
  at::Tensor v = in[2];
  const bool grouped = in[0].dim() >= 3 && k.size(-3) != in[0].size(-3);
#if ROOFLAB_TORCH_AT_LEAST(2, 5)
  // Kernels that know groups take 16 bits and no mask, as callers of PyTorch use them.
  const bool half = in[0].scalar_type() == at::kBFloat16 || in[0].scalar_type() == at::kHalf;
  if (grouped && half && in.size() < 4 && in[0].is_cuda()) {
    const auto scale = op.scale ? c10::optional<double>(*op.scale) : c10::nullopt;
    return at::scaled_dot_product_attention(in[0], k, v, {}, 0.0, op.causal, scale,
                                            /*enable_gqa=*/true);
  }
#endif
  if (grouped) {
    const std::int64_t repeats = in[0].size(-3) / k.size(-3);
    k = k.repeat_interleave(repeats, -3);
    v = v.repeat_interleave(repeats, -3);
  }
  const c10::optional<at::Tensor> mask = optional_operand(in, 3);
#if ROOFLAB_TORCH_AT_LEAST(2, 0)
  if (!(mask && op.causal)) {
    const auto scale = op.scale ? c10::optional<double>(*op.scale) : c10::nullopt;
    return at::scaled_dot_product_attention(in[0], k, v, mask, 0.0, op.causal, scale);
  }
#endif
  return attention_by_hand(op, in[0], k, v, mask);
}

Results run(const graph::Recurrent& op, Operands in, Mode mode) {
  using enum graph::RecurrentCell;
  const at::Tensor& x = in[0];
  const std::size_t first = op.first_weight();
  const std::vector<at::Tensor> weights(in.begin() + static_cast<std::ptrdiff_t>(first), in.end());
  std::vector<at::Tensor> states;
  for (std::size_t i = 1; i < first; ++i) states.push_back(in[i].contiguous());
  while (states.size() < op.states()) {
    states.push_back(
        at::zeros({op.layers * op.directions(), x.size(op.batch_first ? 0 : 1), weights[1].size(1)},
                  x.options()));
  }
  const auto layers = [&](auto function) {
    auto [y, h] = function(x, states.front(), weights, op.bias, op.layers, op.dropout,
                           mode.training, op.bidirectional, op.batch_first);
    return Results{y, h};
  };
  switch (op.cell) {
    case lstm: {
      auto [y, h, c] = at::lstm(x, states, weights, op.bias, op.layers, op.dropout, mode.training,
                                op.bidirectional, op.batch_first);
      return {y, h, c};
    }
    case gru:
      return layers([](const auto&... operands) { return at::gru(operands...); });
    case rnn_tanh:
      return layers([](const auto&... operands) { return at::rnn_tanh(operands...); });
    case rnn_relu:
      return layers([](const auto&... operands) { return at::rnn_relu(operands...); });
  }
  throw Unsupported{"a recurrent cell"};
}

at::Tensor run(const graph::BatchNorm& op, Operands in, Mode mode) {
  return at::batch_norm(in[0], in[1], in[2], in[3], in[4], mode.training, op.momentum, op.epsilon,
                        true);
}

at::Tensor run(const graph::LayerNorm& op, Operands in, Mode) {
  const at::IntArrayRef shape = in[0].sizes();
  const auto rank = static_cast<std::size_t>(op.normalized_rank);
  return at::layer_norm(in[0], shape.slice(shape.size() - rank), optional_operand(in, 1),
                        optional_operand(in, 2), op.epsilon, true);
}

at::Tensor run(const graph::RmsNorm& op, Operands in, Mode) {
#if ROOFLAB_TORCH_AT_LEAST(2, 4)
  return at::rms_norm(in[0], in[0].sizes().slice(static_cast<std::size_t>(in[0].dim() - 1)),
                      optional_operand(in, 1), op.epsilon);
#else
  const at::Tensor mean_square = in[0].pow(2).mean(-1, true);
  const at::Tensor normalised = in[0] * at::rsqrt(mean_square + op.epsilon);
  return in.size() > 1 ? normalised * in[1] : normalised;
#endif
}

at::Tensor run(const graph::GroupNorm& op, Operands in, Mode) {
  return at::group_norm(in[0], op.groups, optional_operand(in, 1), optional_operand(in, 2),
                        op.epsilon, true);
}

at::Tensor run(const graph::LocalResponseNorm& op, Operands in, Mode) {
  // As torch.nn.functional.local_response_norm: the mean of squares over a window of channels.
  const at::Tensor& x = in[0];
  std::vector<std::int64_t> merged = {x.size(0), 1, x.size(1), -1};
  at::Tensor squares = (x * x).reshape(extents(merged));
  squares = at::constant_pad_nd(squares, {0, 0, op.size / 2, (op.size - 1) / 2});
  squares = at::avg_pool2d(squares, {op.size, 1}, {1, 1}).reshape(x.sizes());
  return x / at::pow(squares * op.alpha + op.offset, op.beta);
}

at::Tensor run(const graph::Softmax& op, Operands in, Mode) {
  return op.log ? at::log_softmax(in[0], op.axis) : at::softmax(in[0], op.axis);
}

at::Tensor run(const graph::Pool& op, Operands in, Mode) {
  const bool is_max = op.kind == graph::PoolKind::max;
  const double border = is_max ? -std::numeric_limits<double>::infinity() : 0.0;
  std::vector<std::int64_t> padding;
  const at::Tensor x = padded(op, in[0], border, padding);
  if (!is_max && !op.padding_counts && op.padding_begin != op.padding_end) {
    throw Unsupported{"average pooling that does not count an uneven padding"};
  }
  const auto kernel = extents(op.kernel);
  const auto stride = extents(op.stride);
  const auto pads = extents(padding);
  switch (op.kernel.size()) {
    case 1:
      if (is_max) {
        return at::max_pool1d(x, kernel, stride, pads, extents(op.dilation), op.ceil_mode);
      }
      return at::avg_pool1d(x, kernel, stride, pads, op.ceil_mode, op.padding_counts);
    case 2:
      if (is_max) {
        return at::max_pool2d(x, kernel, stride, pads, extents(op.dilation), op.ceil_mode);
      }
      return at::avg_pool2d(x, kernel, stride, pads, op.ceil_mode, op.padding_counts);
    case 3:
      if (is_max) {
        return at::max_pool3d(x, kernel, stride, pads, extents(op.dilation), op.ceil_mode);
      }
      return at::avg_pool3d(x, kernel, stride, pads, op.ceil_mode, op.padding_counts);
    default:
      throw Unsupported{"pooling over more than three dimensions"};
  }
}

at::Tensor run(const graph::AdaptivePool& op, Operands in, Mode) {
  const bool is_max = op.kind == graph::PoolKind::max;
  const auto size = extents(op.output_size);
  switch (op.output_size.size()) {
    case 1:
      return is_max ? std::get<0>(at::adaptive_max_pool1d(in[0], size))
                    : at::adaptive_avg_pool1d(in[0], size);
    case 2:
      return is_max ? std::get<0>(at::adaptive_max_pool2d(in[0], size))
                    : at::adaptive_avg_pool2d(in[0], size);
    case 3:
      return is_max ? std::get<0>(at::adaptive_max_pool3d(in[0], size))
                    : at::adaptive_avg_pool3d(in[0], size);
    default:
      throw Unsupported{"pooling over more than three dimensions"};
  }
}

Results run_matrix(const graph::Op& op, Operands in, Mode mode) {
  return graph::visit_families<Results, graph::Family::matrix, graph::Family::normalisation,
                               graph::Family::pooling>(
      op, [&](const auto& attributes) { return as_list(run(attributes, in, mode)); });
}

}  // namespace rooflab::torch_worker
