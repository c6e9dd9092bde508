// Fused attention of every kernel family, and the fused modules of evaluation, taken apart.
//
// scaled_dot_product kernels take [batch, heads, length, depth]; the older flash kernel takes
// [tokens, heads, depth] and the older memory-efficient one [batch, length, heads, depth]. Sources:
// PyTorch, aten/src/ATen/native/native_functions.yaml of versions 1.13 and 2.11.

#include <algorithm>
#include <array>

#include "rules.hpp"

namespace rooflab::recording {
namespace {

using graph::Attention;
using graph::Linear;
using graph::ValueId;

bool all_there(const OpView& view, std::initializer_list<std::size_t> places) {
  return std::ranges::none_of(places,
                              [&](std::size_t place) { return view.in(place) == no_tensor; });
}

Attention attention_of(const OpView& view) {
  return {.causal = view.flag("is_causal", view.flag("causal", false)), .scale = std::nullopt};
}

bool attention_kernel(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor y = view.out(0);
  if (!all_there(view, {0, 1, 2}) || y == no_tensor) return false;
  std::vector<ValueId> inputs = {l.value(view.in(0)), l.value(view.in(1)), l.value(view.in(2))};
  std::vector<STensor> reads = present({view.in(0), view.in(1), view.in(2)});
  if (const STensor mask = view.in(3); mask != no_tensor) {
    inputs.push_back(l.value(mask));
    reads.push_back(mask);
  }
  // The second result holds a statistic of each row; the others are seeds.
  std::vector<STensor> results = present({y, view.out(1)});
  const graph::NodeId node =
      l.node(view, attention_of(view), std::move(inputs), values_of_tensors(l, results));
  // cuDNN makes a plan for each shape.
  if (view.name().find("cudnn") != std::string_view::npos) l.issue_as(node, "cudnn_attention");
  l.emit(schedule::NodeWork{}, node, view.plain_pass(), std::move(reads), std::move(results));
  return true;
}

bool attention_backward(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor dy = view.in(0);
  if (!all_there(view, {0, 1, 2, 3})) return false;
  const graph::NodeId node =
      gradient_node(view, attention_of(view),
                    {l.value(view.in(1)), l.value(view.in(2)), l.value(view.in(3))}, l.value(dy));
  l.emit(schedule::NodeWork{}, node, Pass::data_gradient, view.all_in(), view.all_out());
  return true;
}

/// q, k and v as [heads of all samples, length, depth].
struct OldLayout {
  ValueId q;
  ValueId k;
  ValueId v;
};

ValueId heads_first(Lowerer& l, STensor tensor, std::int64_t length) {
  const graph::TensorType& type = l.tensor(tensor).type;
  const std::int64_t depth = type.shape.from_end(1);
  const std::int64_t per_head = std::max<std::int64_t>(checked_multiply(length, depth), 1);
  return l.described({type.dtype, {type.shape.elements() / per_head, length, depth}});
}

/// q, k and v at this place and those behind it.
std::optional<OldLayout> old_layout_of(const OpView& view, std::size_t place) {
  Lowerer& l = view.lowerer();
  const STensor q = view.in(place);
  const STensor k = view.in(place + 1);
  const STensor v = view.in(place + 2);
  const std::size_t rank = l.shape(q).rank();
  if ((rank != 3 && rank != 4) || l.shape(k).rank() != rank || l.shape(v).rank() != rank) {
    return std::nullopt;
  }
  const std::int64_t queries = rank == 4 ? l.shape(q)[1] : view.integer("max_q", 0);
  const std::int64_t keys = rank == 4 ? l.shape(k)[1] : view.integer("max_k", 0);
  if (queries <= 0 || keys <= 0) return std::nullopt;
  return OldLayout{heads_first(l, q, queries), heads_first(l, k, keys), heads_first(l, v, keys)};
}

bool old_attention_kernel(const OpView& view) {
  Lowerer& l = view.lowerer();
  if (!all_there(view, {0, 1, 2}) || view.out(0) == no_tensor) return false;
  const std::optional<OldLayout> layout = old_layout_of(view, 0);
  if (!layout) return false;
  const graph::NodeId node =
      l.node(view, attention_of(view), {layout->q, layout->k, layout->v}, {layout->q});
  l.emit(schedule::NodeWork{}, node, view.plain_pass(),
         present({view.in(0), view.in(1), view.in(2)}), present({view.out(0), view.out(1)}));
  return true;
}

bool old_attention_backward(const OpView& view) {
  Lowerer& l = view.lowerer();
  if (!all_there(view, {0, 1, 2, 3})) return false;
  const std::optional<OldLayout> layout = old_layout_of(view, 1);
  if (!layout) return false;
  const graph::NodeId node =
      l.node(view, attention_of(view), {layout->q, layout->k, layout->v}, {layout->q});
  l.emit(schedule::NodeWork{}, node, Pass::data_gradient, view.all_in(), view.all_out());
  return true;
}

/// What a fused module of evaluation does, part by part.
class ModuleParts {
 public:
  explicit ModuleParts(const OpView& view) : view_(view), l_(view.lowerer()) {}

  /// y = x W^T + b.
  STensor linear(STensor x, STensor weight, STensor bias) {
    graph::TensorType type = l_.tensor(x).type;
    type.shape[type.shape.rank() - 1] = l_.shape(weight)[0];
    const STensor y = l_.view_of(view_.out(0), std::move(type));
    std::vector<ValueId> inputs = {l_.value(x), weight_value(l_, weight)};
    if (bias != no_tensor) inputs.push_back(weight_value(l_, bias));
    emit_node(view_, Linear{}, std::move(inputs), present({x, weight, bias}), {y},
              view_.plain_pass());
    return y;
  }

  /// Attention over q, k and v, side by side in the last dimension.
  STensor attention(STensor qkv, std::int64_t heads) {
    const graph::TensorType& all = l_.tensor(qkv).type;
    const std::int64_t width = all.shape.from_end(1) / 3;
    const std::int64_t length = all.shape.from_end(2);
    const graph::TensorType one{
        all.dtype, {all.shape.elements() / (3 * width * length), heads, length, width / heads}};
    const STensor y = l_.view_of(view_.out(0), {all.dtype, {one.shape[0], length, width}});
    const ValueId q = l_.described(one);
    const graph::NodeId node =
        l_.node(view_, Attention{}, {q, l_.described(one), l_.described(one)}, {l_.described(one)});
    l_.emit(schedule::NodeWork{}, node, view_.plain_pass(), {qkv}, {y});
    return y;
  }

  STensor norm(STensor x, STensor weight, STensor bias) {
    const STensor y = l_.view_of(view_.out(0), l_.tensor(x).type);
    emit_node(view_, graph::LayerNorm{},
              {l_.value(x), weight_value(l_, weight), weight_value(l_, bias)},
              present({x, weight, bias}), {y}, view_.plain_pass());
    return y;
  }

  STensor unary(graph::UnaryFunction function, STensor x) {
    const STensor y = l_.view_of(view_.out(0), l_.tensor(x).type);
    emit_node(view_, graph::Unary{.function = function}, {l_.value(x)}, {x}, {y},
              view_.plain_pass());
    return y;
  }

 private:
  const OpView& view_;
  Lowerer& l_;
};

/// x is [samples, length, width], weights are matrices, heads share the width.
bool is_module(const OpView& view, std::int64_t heads, std::initializer_list<std::size_t> weights) {
  Lowerer& l = view.lowerer();
  const graph::Shape& x = l.shape(view.in(0));
  if (x.rank() != 3 || x.elements() == 0 || heads <= 0 || x[2] % heads != 0) return false;
  const bool matrices = std::ranges::all_of(
      weights, [&](std::size_t place) { return l.shape(view.in(place)).rank() == 2; });
  return matrices && l.shape(view.in(*weights.begin()))[0] == checked_multiply(x[2], 3);
}

/// _native_multi_head_attention(q, k, v, embed_dim, heads, qkv_weight, qkv_bias, proj_weight,
/// proj_bias, mask, ...).
bool attention_module(const OpView& view) {
  const std::int64_t heads = view.integer("num_head", 0);
  if (!all_there(view, {0, 3, 4, 5, 6}) || view.out(0) == no_tensor) return false;
  if (!is_module(view, heads, {3, 5})) return false;
  ModuleParts parts(view);
  const STensor qkv = parts.linear(view.in(0), view.in(3), view.in(4));
  (void)parts.linear(parts.attention(qkv, heads), view.in(5), view.in(6));
  return true;
}

/// _transformer_encoder_layer_fwd(src, embed_dim, heads, qkv_weight, qkv_bias, proj_weight,
/// proj_bias, use_gelu, norm_first, eps, norm_weight_1, norm_bias_1, norm_weight_2, norm_bias_2,
/// ffn_weight_1, ffn_bias_1, ffn_weight_2, ffn_bias_2, mask, ...).
bool encoder_layer(const OpView& view) {
  const std::int64_t heads = view.integer("num_heads", 0);
  if (!all_there(view, {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})) return false;
  if (view.out(0) == no_tensor || !is_module(view, heads, {1, 3, 9, 11})) return false;
  ModuleParts parts(view);
  const STensor qkv = parts.linear(view.in(0), view.in(1), view.in(2));
  const STensor attended = parts.linear(parts.attention(qkv, heads), view.in(3), view.in(4));
  const STensor normed = parts.norm(attended, view.in(5), view.in(6));
  const bool gelu = view.flag("use_gelu", false);
  const STensor wide = parts.unary(gelu ? graph::UnaryFunction::gelu : graph::UnaryFunction::relu,
                                   parts.linear(normed, view.in(9), view.in(10)));
  (void)parts.norm(parts.linear(wide, view.in(11), view.in(12)), view.in(7), view.in(8));
  return true;
}

constexpr std::array attention_table = {
    NamedRule{"_scaled_dot_product_flash_attention", attention_kernel},
    NamedRule{"_scaled_dot_product_flash_attention_for_cpu", attention_kernel},
    NamedRule{"_scaled_dot_product_efficient_attention", attention_kernel},
    NamedRule{"_scaled_dot_product_cudnn_attention", attention_kernel},
    NamedRule{"_scaled_dot_product_fused_attention_overrideable", attention_kernel},
    NamedRule{"_scaled_dot_product_attention_math_for_mps", attention_kernel},
    NamedRule{"_scaled_dot_product_flash_attention_backward", attention_backward},
    NamedRule{"_scaled_dot_product_flash_attention_for_cpu_backward", attention_backward},
    NamedRule{"_scaled_dot_product_efficient_attention_backward", attention_backward},
    NamedRule{"_scaled_dot_product_cudnn_attention_backward", attention_backward},
    NamedRule{"_scaled_dot_product_fused_attention_overrideable_backward", attention_backward},
    NamedRule{"_flash_attention_forward", old_attention_kernel},
    NamedRule{"_efficient_attention_forward", old_attention_kernel},
    NamedRule{"_flash_attention_backward", old_attention_backward},
    NamedRule{"_efficient_attention_backward", old_attention_backward},
    NamedRule{"_native_multi_head_attention", attention_module},
    NamedRule{"_transformer_encoder_layer_fwd", encoder_layer},
};

}  // namespace

std::span<const NamedRule> attention_rules() { return attention_table; }

}  // namespace rooflab::recording
