// MaxViT, "Multi-Axis Vision Transformer" (Tu et al. 2022, arXiv:2204.01697), as torchvision 0.19
// defines it.
//
// A layer is an inverted residual block with squeeze-excitation and then attention twice: within
// windows of neighbouring pixels, and within grids of pixels that lie apart. Both cut the map into
// [N, groups, pixels, C]; for a grid the two middle dimensions change places. The framework writes
// the products of attention as einsum; those run as the same batched products.
//
// Whole samples are dropped in training with a probability that grows linearly over the layers;
// where it is 0 the framework runs nothing. All dropout probabilities are 0.
#include <array>
#include <cmath>
#include <string>

#include "relative_position.hpp"
#include "torchvision_blocks.hpp"

namespace rooflab::zoo {
namespace {

struct Config {
  std::int64_t stem_channels;
  std::array<std::int64_t, 4> channels;  ///< channels of each block
  std::array<int, 4> layers;
  std::int64_t head_channels;
  std::int64_t partition;   ///< pixels along a side of a window, and of a grid
  double drop_probability;  ///< probability in the last layer
};

constexpr UnaryFunction gelu = UnaryFunction::gelu;

ValueId dropping(GraphBuilder& b, ValueId x, double p, std::string_view name) {
  return p > 0 ? b.add(graph::StochasticDepth{p}, {x}, name) : x;
}

/// `scope.0` convolution without bias, `scope.1` batch norm, `scope.2` GELU.
ValueId conv_norm_gelu(GraphBuilder& b, ValueId x, std::string_view scope,
                       const ConvNormOptions& options) {
  x = conv_norm_activation(b, x, scope, options);
  const auto inside = b.scope(scope);
  return b.unary(x, gelu, "2");
}

/// Inverted residual block: 1x1 to four times the channels, depthwise 3x3, weights a channel, 1x1.
ValueId mobile_block(GraphBuilder& b, ValueId x, std::int64_t channels, std::int64_t stride,
                     double drop) {
  const auto scope = b.scope("MBconv");
  ValueId shortcut = x;
  if (stride != 1 || channels != b.shape(x)[1]) {
    const auto projection = b.scope("proj");
    if (stride == 2) {
      shortcut = b.pool(shortcut, PoolKind::average, "0", {.kernel = 3, .stride = 2, .padding = 1});
    }
    shortcut = b.conv(shortcut, stride == 2 ? "1" : "0", {.out_channels = channels});
  }
  const std::int64_t expanded = 4 * channels;
  {
    const auto layers = b.scope("layers");
    x = b.batch_norm(x, "pre_norm");
    x = conv_norm_gelu(b, x, "conv_a", {.out_channels = expanded, .kernel = 1});
    x = conv_norm_gelu(b, x, "conv_b",
                       {.out_channels = expanded, .stride = stride, .groups = expanded});
    x = squeeze_excitation(b, x, "squeeze_excitation",
                           {.squeeze_channels = channels / 4, .activation = UnaryFunction::silu});
    x = b.conv(x, "conv_c", {.out_channels = channels});
  }
  x = dropping(b, x, drop, "stochastic_depth");
  return b.binary(shortcut, x, BinaryFunction::add, "add");
}

using Index = std::shared_ptr<const graph::ConstantData>;

/// Attention with a bias by relative position over the pixels of [N, groups, pixels, C].
ValueId attention(GraphBuilder& b, ValueId x, const Config& config, const Index& index) {
  const std::int64_t groups = b.shape(x)[1];
  const std::int64_t pixels = b.shape(x)[2];
  const std::int64_t channels = b.shape(x)[3];
  const std::int64_t heads = channels / config.head_channels;
  const ValueId table =
      b.parameter("relative_position_bias_table",
                  {(2 * config.partition - 1) * (2 * config.partition - 1), heads});
  const ValueId qkv = b.linear(x, "to_qkv", 3 * channels);
  const std::vector<ValueId> parts =
      b.add_all(graph::Split{3, {channels, channels, channels}}, {qkv}, "chunk");
  std::array<ValueId, 3> by_head{};
  for (std::size_t i = 0; i < 3; ++i) {
    const ValueId part =
        b.reshape(parts[i], {-1, groups, pixels, heads, config.head_channels}, "reshape");
    by_head[i] = b.transpose(part, {0, 1, 3, 2, 4}, "permute");
  }
  const auto [query, key, value] = by_head;
  const double scale = 1.0 / std::sqrt(static_cast<double>(channels));
  const ValueId scaled = b.binary(key, b.scalar("scale_factor", scale), BinaryFunction::mul, "mul");
  const ValueId keys = b.transpose(scaled, {0, 1, 2, 4, 3}, "transpose");
  ValueId scores = b.add(graph::MatMul{}, {query, keys}, "einsum");
  b.issue_as("einsum");
  const ValueId bias = relative_position_bias(b, table, index, config.partition);
  scores = b.binary(scores, bias, BinaryFunction::add, "add");
  scores = b.add(graph::Softmax{}, {scores}, "softmax");
  ValueId out = b.add(graph::MatMul{}, {scores, value}, "einsum");
  b.issue_as("einsum");
  out = b.transpose(out, {0, 1, 3, 2, 4}, "permute");
  out = b.reshape(out, {-1, groups, pixels, channels}, "reshape");
  out = b.linear(out, "merge", channels);
  for (const ValueId local : {qkv, scaled, bias, scores}) b.hold(local);
  return out;
}

/// [N, C, H, W] cut into squares of `side` pixels, [N, squares, side^2, C].
ValueId partition(GraphBuilder& b, ValueId x, std::int64_t side) {
  const auto scope = b.scope("partition_op");
  const std::int64_t channels = b.shape(x)[1];
  const std::int64_t down = b.shape(x)[2] / side;
  const std::int64_t across = b.shape(x)[3] / side;
  x = b.reshape(x, {-1, channels, down, side, across, side}, "reshape");
  x = b.transpose(x, {0, 2, 4, 3, 5, 1}, "permute");
  return b.reshape(x, {-1, down * across, side * side, channels}, "reshape");
}

ValueId departition(GraphBuilder& b, ValueId x, std::int64_t side, std::int64_t down,
                    std::int64_t across) {
  const auto scope = b.scope("departition_op");
  const std::int64_t channels = b.shape(x)[3];
  x = b.reshape(x, {-1, down, across, side, side, channels}, "reshape");
  x = b.transpose(x, {0, 5, 1, 3, 2, 4}, "permute");
  return b.reshape(x, {-1, channels, down * side, across * side}, "reshape");
}

ValueId partition_attention(GraphBuilder& b, ValueId x, const Config& config, bool grid,
                            const Index& index, double drop) {
  const auto scope = b.scope(grid ? "grid_attention" : "window_attention");
  const std::int64_t height = b.shape(x)[2];
  const std::int64_t width = b.shape(x)[3];
  const std::int64_t channels = b.shape(x)[1];
  const std::int64_t side = grid ? height / config.partition : config.partition;
  x = partition(b, x, side);
  if (grid) x = b.transpose(x, {0, 2, 1, 3}, "partition_swap");
  ValueId branch = x;
  {
    const auto layer = b.scope("attn_layer");
    branch = b.layer_norm(branch, "0");
    {
      const auto attending = b.scope("1");
      branch = attention(b, branch, config, index);
    }
    branch = b.dropout(branch, "2", 0.0);
  }
  branch = dropping(b, branch, drop, "stochastic_dropout");
  x = b.binary(x, branch, BinaryFunction::add, "add");
  {
    const auto layer = b.scope("mlp_layer");
    branch = b.layer_norm(x, "0");
    branch = b.linear(branch, "1", 4 * channels);
    branch = b.unary(branch, gelu, "2");
    branch = b.linear(branch, "3", channels);
    branch = b.dropout(branch, "4", 0.0);
  }
  branch = dropping(b, branch, drop, "stochastic_dropout");
  x = b.binary(x, branch, BinaryFunction::add, "add");
  if (grid) x = b.transpose(x, {0, 2, 1, 3}, "departition_swap");
  return departition(b, x, side, height / side, width / side);
}

ValueId maxvit(GraphBuilder& b, ValueId x, const Request& request, const Config& config) {
  b.set_norm_constants(1e-3, 0.99);
  const Index index = relative_position_index(config.partition);
  int last_layer = -1;
  for (const int layers : config.layers) last_layer += layers;
  {
    const auto scope = b.scope("stem");
    x = conv_norm_gelu(b, x, "0", {.out_channels = config.stem_channels, .stride = 2});
    const auto second = b.scope("1");
    x = b.conv(x, "0", {.out_channels = config.stem_channels, .kernel = 3, .padding = 1});
  }
  int done = 0;
  for (std::size_t block = 0; block < config.channels.size(); ++block) {
    const auto block_scope = b.scope("blocks." + std::to_string(block));
    for (int i = 0; i < config.layers[block]; ++i, ++done) {
      const auto layer_scope = b.scope("layers." + std::to_string(i) + ".layers");
      const double drop = config.drop_probability * done / last_layer;
      b.set_norm_constants(1e-3, 0.99);
      x = mobile_block(b, x, config.channels[block], i == 0 ? 2 : 1, drop);
      b.set_norm_constants(1e-5);
      x = partition_attention(b, x, config, false, index, drop);
      x = partition_attention(b, x, config, true, index, drop);
    }
  }
  const auto scope = b.scope("classifier");
  x = b.adaptive_pool(x, "0", 1);
  x = b.flatten(x, 1, "1");
  x = b.layer_norm(x, "2");
  x = b.linear(x, "3", config.channels.back());
  x = b.unary(x, UnaryFunction::tanh, "4");
  return b.linear(x, "5", request.classes, false);
}

}  // namespace

// Five halvings must leave a multiple of the partition's 7 pixels.
Family maxvit_family() {
  const Config config{64, {64, 128, 256, 512}, {2, 2, 5, 2}, 32, 7, 0.2};
  return {"maxvit",
          {{.name = "maxvit_t",
            .smallest_image = 224,
            .image_multiple = 224,
            .forward = [config](GraphBuilder& b, ValueId x, const Request& request) {
              return maxvit(b, x, request, config);
            }}}};
}

}  // namespace rooflab::zoo
