// Vision Transformer, "An Image is Worth 16x16 Words" (Dosovitskiy et al. 2020, arXiv:2010.11929),
// as torchvision 0.19 defines it: sequence length S = (image / patch)^2 + 1, the number of position
// embeddings (and so of parameters) follows the image.
//
// Attention is torch.nn.MultiheadAttention (batch_first, need_weights=False) as PyTorch 2.x runs it
// in training, op by op, because its views and copies decide what memory holds: the input is turned
// to sequence-first [S, N, E], one linear layer gives q, k and v side by side, `contiguous` copies
// them into three planes, heads are split off by views, the attention itself is one fused op, and
// another `contiguous` brings its result back to sequence-first order. `select` is one view in the
// framework and two nodes here (slice, then squeeze). In evaluation the framework may take a fused
// path instead of these ops; shapes and matrix work are the same.
//
// All dropout probabilities are 0, as in torchvision: the modules run and do nothing.
#include <string>

#include "family.hpp"

namespace rooflab::zoo {
namespace {

struct Config {
  std::int64_t patch;
  int layers;
  std::int64_t heads;
  std::int64_t width;      ///< E
  std::int64_t mlp_width;  ///< hidden
};

/// Entry `index` of an axis, which vanishes; `squeezed` is the resulting shape.
ValueId select(GraphBuilder& b, ValueId x, std::int64_t axis, std::int64_t index,
               std::vector<std::int64_t> squeezed) {
  x = b.add(graph::Slice{{axis}, {index}, {index + 1}, {1}}, {x}, "select");
  return b.reshape(x, std::move(squeezed), "squeeze");
}

// Targets leave the extent that holds the batch as -1, so that they fit every batch.
ValueId self_attention(GraphBuilder& b, ValueId x, const Config& config) {
  const auto scope = b.scope("self_attention");
  const std::int64_t sequence = b.shape(x)[1];
  const std::int64_t width = config.width;
  const std::int64_t head_width = width / config.heads;
  const ValueId in_weight = b.parameter("in_proj_weight", {3 * width, width});
  const ValueId in_bias = b.parameter("in_proj_bias", {3 * width});

  x = b.transpose(x, {1, 0, 2}, "transpose");
  x = b.add(graph::Linear{}, {x, in_weight, in_bias}, "in_proj");
  x = b.reshape(x, {sequence, -1, 3, width}, "unflatten");
  x = b.reshape(x, {1, sequence, -1, 3, width}, "unsqueeze");
  x = b.transpose(x, {3, 1, 2, 0, 4}, "transpose");
  x = b.reshape(x, {3, sequence, -1, width}, "squeeze");
  x = b.add(graph::Contiguous{}, {x}, "contiguous");
  std::vector<ValueId> qkv;
  for (std::int64_t i = 0; i < 3; ++i) qkv.push_back(select(b, x, 0, i, {sequence, -1, width}));
  for (ValueId& part : qkv) {
    part = b.reshape(part, {sequence, -1, head_width}, "view");
    part = b.transpose(part, {1, 0, 2}, "transpose");
  }
  for (ValueId& part : qkv) {
    part = b.reshape(part, {-1, config.heads, sequence, head_width}, "view");
  }
  x = b.add(graph::Attention{}, {qkv[0], qkv[1], qkv[2]}, "scaled_dot_product_attention");
  x = b.transpose(x, {2, 0, 1, 3}, "permute");
  x = b.add(graph::Contiguous{}, {x}, "contiguous");
  x = b.reshape(x, {-1, width}, "view");
  x = b.linear(x, "out_proj", width);
  x = b.reshape(x, {sequence, -1, width}, "view");
  return b.transpose(x, {1, 0, 2}, "transpose");
}

ValueId encoder_layer(GraphBuilder& b, ValueId input, const Config& config) {
  ValueId x = b.layer_norm(input, "ln_1");
  x = self_attention(b, x, config);
  x = b.dropout(x, "dropout", 0.0);
  x = b.binary(x, input, BinaryFunction::add, "add");
  ValueId y = b.layer_norm(x, "ln_2");
  {
    const auto scope = b.scope("mlp");
    y = b.linear(y, "0", config.mlp_width);
    y = b.unary(y, UnaryFunction::gelu, "1");
    y = b.dropout(y, "2", 0.0);
    y = b.linear(y, "3", config.width);
    y = b.dropout(y, "4", 0.0);
  }
  return b.binary(x, y, BinaryFunction::add, "add");
}

ValueId encoder(GraphBuilder& b, ValueId x, const Config& config) {
  const auto scope = b.scope("encoder");
  const ValueId position = b.parameter("pos_embedding", {1, b.shape(x)[1], config.width});
  x = b.binary(x, position, BinaryFunction::add, "add");
  x = b.dropout(x, "dropout", 0.0);
  for (int i = 0; i < config.layers; ++i) {
    const auto layer = b.scope("layers.encoder_layer_" + std::to_string(i));
    x = encoder_layer(b, x, config);
  }
  return b.layer_norm(x, "ln");
}

ValueId vit(GraphBuilder& b, ValueId x, const Request& request, const Config& config) {
  b.set_norm_constants(1e-6);
  const std::int64_t batch = b.shape(x)[0];
  const std::int64_t patches = (b.shape(x)[2] / config.patch) * (b.shape(x)[3] / config.patch);
  const ValueId class_token = b.parameter("class_token", {1, 1, config.width});
  x = b.conv(x, "conv_proj",
             {.out_channels = config.width, .kernel = config.patch, .stride = config.patch});
  x = b.reshape(x, {-1, config.width, patches}, "reshape");
  x = b.transpose(x, {0, 2, 1}, "permute");
  const ValueId tokens = b.add(graph::Expand{{batch, -1, -1}}, {class_token}, "expand");
  x = b.concat({tokens, x}, 1, "cat");
  x = encoder(b, x, config);
  x = select(b, x, 1, 0, {-1, config.width});
  const auto scope = b.scope("heads");
  return b.linear(x, "head", request.classes);
}

Model model(const char* name, std::int64_t input_size, const Config& config) {
  return {.name = name,
          .input_size = input_size,
          .smallest_image = config.patch,
          .image_multiple = config.patch,
          .forward = [config](GraphBuilder& b, ValueId x, const Request& request) {
            return vit(b, x, request, config);
          }};
}

}  // namespace

Family vit_family() {
  return {"vit",
          {model("vit_b_16", 224, {16, 12, 12, 768, 3072}),
           model("vit_b_32", 224, {32, 12, 12, 768, 3072}),
           model("vit_l_16", 224, {16, 24, 16, 1024, 4096}),
           model("vit_l_32", 224, {32, 24, 16, 1024, 4096}),
           model("vit_h_14", 518, {14, 32, 16, 1280, 5120})}};
}

}  // namespace rooflab::zoo
