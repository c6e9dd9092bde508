// Vision Transformer, "An Image is Worth 16x16 Words" (Dosovitskiy et al. 2020, arXiv:2010.11929),
// as torchvision 0.19 defines it: sequence length S = (image / patch)^2 + 1, the number of position
// embeddings (and so of parameters) follows the image.
//
// Attention is torch.nn.MultiheadAttention (graph/attention_module.hpp), op by op.
//
// All dropout probabilities are 0, as in torchvision: the modules run and do nothing.
#include <string>

#include "family.hpp"
#include "rooflab/graph/graph_builder.hpp"

namespace rooflab::zoo {
namespace {

struct Config {
  std::int64_t patch;
  int layers;
  std::int64_t heads;
  std::int64_t width;      ///< E
  std::int64_t mlp_width;  ///< hidden
};

ValueId self_attention(GraphBuilder& b, ValueId x, const Config& config) {
  const auto scope = b.scope("self_attention");
  return graph::add_attention_module(b, x, config.heads);
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
  // The class token: one view in the framework, two nodes here.
  x = b.add(graph::Slice{{1}, {0}, {1}, {1}}, {x}, "select");
  x = b.reshape(x, {-1, config.width}, "squeeze");
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
