// Swin Transformer, "Hierarchical Vision Transformer using Shifted Windows" (Liu et al. 2021,
// arXiv:2103.14030), and V2, "Scaling Up Capacity and Resolution" (Liu et al. 2021,
// arXiv:2111.09883), as torchvision 0.19 defines them.
//
// Every second block shifts its windows by half of their extent: the map is rolled, and a mask
// keeps pixels apart that only the roll made neighbours. The framework computes that mask again at
// every step, in a few small kernels; here it is a constant, and the host's cost of making it is
// part of the addition. A map that is not a multiple of the window is padded, and padding by
// nothing is a copy: torch.nn.functional.pad clones.
//
// V2 normalises queries and keys (cosine attention, a trained scale a head of at most 100), has no
// bias in the keys, makes the position bias with a small network from the offsets, and normalises
// what a branch returns instead of what it takes.
//
// Whole samples are dropped in training with a probability that grows linearly over the blocks;
// where it is 0 the framework runs nothing. All dropout probabilities are 0.
#include <array>
#include <cmath>
#include <map>
#include <string>

#include "family.hpp"
#include "relative_position.hpp"

namespace rooflab::zoo {
namespace {

using Data = std::shared_ptr<const graph::ConstantData>;

struct Config {
  bool second = false;        ///< V2
  std::int64_t width = 96;    ///< channels of the first stage; double with every stage
  std::array<int, 4> blocks;  ///< blocks of each stage
  std::array<std::int64_t, 4> heads;
  std::int64_t window = 7;
  double drop_probability = 0.2;  ///< probability in the last block
};

/// log2(1 + 8 |offset| / (window - 1)) / 3 with the offset's sign, rows first, in fp32.
Data log_offsets(std::int64_t window) {
  auto table = std::make_shared<graph::ConstantData>();
  const auto scaled = [window](std::int64_t offset) {
    const float share = static_cast<float>(offset) / static_cast<float>(window - 1) * 8.0F;
    return static_cast<double>(std::copysign(std::log2(std::fabs(share) + 1.0F) / 3.0F, share));
  };
  for (std::int64_t down = 1 - window; down < window; ++down) {
    for (std::int64_t right = 1 - window; right < window; ++right) {
      table->numbers.push_back(scaled(down));
      table->numbers.push_back(scaled(right));
    }
  }
  return table;
}

/// Extent of a map and by how much its windows are shifted, in each dimension.
struct Frame {
  std::array<std::int64_t, 2> extent;
  std::array<std::int64_t, 2> shift;
  std::int64_t window;
  [[nodiscard]] std::int64_t count(std::size_t i) const { return extent[i] / window; }
  [[nodiscard]] bool is_shifted() const { return shift[0] + shift[1] > 0; }
};

/// -100 between pixels of a window that lay in different parts of the map before the roll, else 0:
/// [windows, pixels, pixels].
Data shift_mask(const Frame& frame) {
  const auto part = [&frame](std::size_t i, std::int64_t place) {
    if (place < frame.extent[i] - frame.window) return 0;
    return place < frame.extent[i] - frame.shift[i] ? 1 : 2;
  };
  const std::int64_t pixels = frame.window * frame.window;
  auto mask = std::make_shared<graph::ConstantData>();
  std::vector<int> parts(static_cast<std::size_t>(pixels));
  for (std::int64_t row = 0; row < frame.count(0); ++row) {
    for (std::int64_t column = 0; column < frame.count(1); ++column) {
      for (std::int64_t p = 0; p < pixels; ++p) {
        parts[static_cast<std::size_t>(p)] = 3 * part(0, row * frame.window + p / frame.window) +
                                             part(1, column * frame.window + p % frame.window);
      }
      for (const int from : parts) {
        for (const int to : parts) mask->numbers.push_back(from == to ? 0.0 : -100.0);
      }
    }
  }
  return mask;
}

class Swin {
 public:
  Swin(GraphBuilder& builder, const Config& config)
      : b(builder),
        config_(config),
        index_(relative_position_index(config.window)),
        offsets_(config.second ? log_offsets(config.window) : nullptr) {}

  ValueId network(ValueId x, std::int64_t classes) {
    int total_blocks = 0;
    for (const int blocks : config_.blocks) total_blocks += blocks;
    {
      const auto scope = b.scope("features");
      {
        const auto stem = b.scope("0");
        x = b.conv(x, "0", {.out_channels = config_.width, .kernel = 4, .stride = 4});
        x = b.transpose(x, {0, 2, 3, 1}, "1");
        x = b.layer_norm(x, "2");
      }
      int index = 1;
      int done = 0;
      for (std::size_t stage = 0; stage < config_.blocks.size(); ++stage) {
        {
          const auto stage_scope = b.scope(index++);
          for (int i = 0; i < config_.blocks[stage]; ++i, ++done) {
            const auto block_scope = b.scope(i);
            const double drop = config_.drop_probability * done / (total_blocks - 1);
            x = block(x, config_.heads[stage], i % 2 == 0 ? 0 : config_.window / 2, drop);
          }
        }
        if (stage + 1 < config_.blocks.size()) {
          const auto merging_scope = b.scope(index++);
          x = merge_patches(x);
        }
      }
    }
    x = b.layer_norm(x, "norm");
    x = b.transpose(x, {0, 3, 1, 2}, "permute");
    x = b.adaptive_pool(x, "avgpool", 1);
    x = b.flatten(x, 1, "flatten");
    return b.linear(x, "head", classes);
  }

 private:
  ValueId block(ValueId x, std::int64_t heads, std::int64_t shift, double drop) {
    ValueId branch = config_.second ? x : b.layer_norm(x, "norm1");
    {
      const auto scope = b.scope("attn");
      branch = attention(branch, heads, shift);
    }
    if (config_.second) branch = b.layer_norm(branch, "norm1");
    x = sum(x, branch, drop);
    branch = config_.second ? x : b.layer_norm(x, "norm2");
    {
      const auto scope = b.scope("mlp");
      const std::int64_t channels = b.shape(x).from_end(1);
      branch = b.linear(branch, "0", 4 * channels);
      branch = b.unary(branch, UnaryFunction::gelu, "1");
      branch = b.dropout(branch, "2", 0.0);
      branch = b.linear(branch, "3", channels);
      branch = b.dropout(branch, "4", 0.0);
    }
    if (config_.second) branch = b.layer_norm(branch, "norm2");
    return sum(x, branch, drop);
  }

  ValueId sum(ValueId x, ValueId branch, double drop) {
    if (drop > 0) branch = b.add(graph::StochasticDepth{drop}, {branch}, "stochastic_depth");
    return b.binary(x, branch, BinaryFunction::add, "add");
  }

  /// Neighbours two by two into the channels, then half as many of these.
  ValueId merge_patches(ValueId x) {
    const std::int64_t channels = b.shape(x).from_end(1);
    x = padded(x, b.shape(x)[1] % 2, b.shape(x)[2] % 2);
    const std::int64_t height = b.shape(x)[1];
    const std::int64_t width = b.shape(x)[2];
    std::vector<ValueId> parts;
    for (const std::int64_t column : {0, 1}) {
      for (const std::int64_t row : {0, 1}) {
        // One slice a dimension, as indexing makes them.
        const ValueId rows = b.add(graph::Slice{{1}, {row}, {height}, {2}}, {x}, "getitem");
        parts.push_back(b.add(graph::Slice{{2}, {column}, {width}, {2}}, {rows}, "getitem"));
      }
    }
    x = b.concat(std::move(parts), 3, "cat");
    if (!config_.second) x = b.layer_norm(x, "norm");
    x = b.linear(x, "reduction", 2 * channels, false);
    return config_.second ? b.layer_norm(x, "norm") : x;
  }

  ValueId padded(ValueId x, std::int64_t below, std::int64_t right) {
    return b.add(graph::Pad{{0, 0, 0, 0}, {0, below, right, 0}}, {x}, "pad");
  }

  [[nodiscard]] std::int64_t missing(std::int64_t extent) const {
    return (config_.window - extent % config_.window) % config_.window;
  }

  /// Attention within windows, over [N, H, W, C].
  ValueId attention(ValueId input, std::int64_t heads, std::int64_t shift) {
    const std::int64_t height = b.shape(input)[1];
    const std::int64_t width = b.shape(input)[2];
    const std::int64_t channels = b.shape(input)[3];
    const std::int64_t window = config_.window;
    const std::int64_t pixels = window * window;
    const ValueId bias = position_bias(heads);

    ValueId x = padded(input, missing(height), missing(width));
    Frame frame{{b.shape(x)[1], b.shape(x)[2]}, {shift, shift}, window};
    for (std::size_t i = 0; i < 2; ++i) {
      if (window >= frame.extent[i]) frame.shift[i] = 0;  // one window holds it all
    }
    if (frame.is_shifted()) {
      x = b.add(graph::Roll{{-frame.shift[0], -frame.shift[1]}, {1, 2}}, {x}, "roll");
    }
    x = b.reshape(x, {-1, frame.count(0), window, frame.count(1), window, channels}, "view");
    x = b.transpose(x, {0, 1, 3, 2, 4, 5}, "permute");
    const ValueId windows = b.reshape(x, {-1, pixels, channels}, "reshape");

    ValueId qkv = queries_keys_values(windows);
    const std::int64_t depth = channels / heads;
    qkv = b.reshape(qkv, {-1, pixels, 3, heads, depth}, "reshape");
    qkv = b.transpose(qkv, {2, 0, 3, 1, 4}, "permute");
    std::array<ValueId, 3> parts{};
    for (std::int64_t i = 0; i < 3; ++i) {
      const ValueId part = b.add(graph::Slice{{0}, {i}, {i + 1}, {1}}, {qkv}, "getitem");
      parts[static_cast<std::size_t>(i)] = b.reshape(part, {-1, heads, pixels, depth}, "getitem");
    }
    ValueId query = parts[0];
    ValueId scores = config_.second ? cosines(parts[0], parts[1], heads) : ValueId{};
    if (!config_.second) {
      const double scale = 1.0 / std::sqrt(static_cast<double>(depth));
      query = b.binary(query, b.scalar("scale", scale), BinaryFunction::mul, "mul");
      const ValueId keys = b.transpose(parts[1], {0, 1, 3, 2}, "transpose");
      scores = b.add(graph::MatMul{}, {query, keys}, "matmul");
    }
    scores = b.binary(scores, bias, BinaryFunction::add, "add");
    if (frame.is_shifted()) scores = masked(scores, frame, heads);
    scores = b.add(graph::Softmax{}, {scores}, "softmax");
    scores = b.dropout(scores, "dropout", 0.0);

    x = b.add(graph::MatMul{}, {scores, parts[2]}, "matmul");
    x = b.transpose(x, {0, 2, 1, 3}, "transpose");
    x = b.reshape(x, {-1, pixels, channels}, "reshape");
    b.hold(windows);
    x = b.linear(x, "proj", channels);
    x = b.dropout(x, "dropout", 0.0);

    x = b.reshape(x, {-1, frame.count(0), frame.count(1), window, window, channels}, "view");
    x = b.transpose(x, {0, 1, 3, 2, 4, 5}, "permute");
    x = b.reshape(x, {-1, frame.extent[0], frame.extent[1], channels}, "reshape");
    if (frame.is_shifted()) {
      x = b.add(graph::Roll{{frame.shift[0], frame.shift[1]}, {1, 2}}, {x}, "roll");
    }
    if (frame.extent[0] > height) {
      x = b.add(graph::Slice{{1}, {0}, {height}, {1}}, {x}, "getitem");
    }
    if (frame.extent[1] > width) x = b.add(graph::Slice{{2}, {0}, {width}, {1}}, {x}, "getitem");
    x = b.add(graph::Contiguous{}, {x}, "contiguous");
    for (const ValueId local : {bias, qkv, query, scores}) b.hold(local);
    return x;
  }

  /// One product for all three. V2 trains no bias for the keys: theirs is 0.
  ValueId queries_keys_values(ValueId x) {
    const std::int64_t channels = b.shape(x).from_end(1);
    if (!config_.second) return b.linear(x, "qkv", 3 * channels);
    ValueId weight{};
    ValueId bias{};
    {
      const auto scope = b.scope("qkv");
      weight = b.parameter("weight", {3 * channels, channels});
      bias = b.parameter("bias", {3 * channels});
    }
    const ValueId none =
        b.constant("key_bias", {DType::f32, {channels}},
                   std::make_shared<graph::ConstantData>(graph::ConstantData{
                       {}, std::vector<double>(static_cast<std::size_t>(channels), 0.0)}));
    const ValueId query = b.add(graph::Slice{{0}, {0}, {channels}, {1}}, {bias}, "getitem");
    const ValueId value =
        b.add(graph::Slice{{0}, {2 * channels}, {3 * channels}, {1}}, {bias}, "getitem");
    bias = b.concat({query, none, value}, 0, "zero");
    return b.add(graph::Linear{}, {x, weight, bias}, "qkv");
  }

  /// Cosines of queries and keys, times a trained scale a head of at most 100.
  ValueId cosines(ValueId query, ValueId key, std::int64_t heads) {
    const ValueId queries = normalised(query);
    const ValueId keys = b.transpose(normalised(key), {0, 1, 3, 2}, "transpose");
    const ValueId cosine = b.add(graph::MatMul{}, {queries, keys}, "matmul");
    ValueId scale = b.parameter("logit_scale", {heads, 1, 1});
    const graph::Unary at_most{UnaryFunction::clip, false, std::nullopt, std::log(100.0)};
    scale = b.add(at_most, {scale}, "clamp");
    scale = b.unary(scale, UnaryFunction::exp, "exp");
    return b.binary(cosine, scale, BinaryFunction::mul, "mul");
  }

  /// Rows of length 1 (torch.nn.functional.normalize).
  ValueId normalised(ValueId x) {
    const std::vector<std::int64_t> shape = b.shape(x).dims();
    ValueId length = b.add(graph::Reduce{graph::ReduceFunction::l2, {3}, true}, {x}, "norm");
    length = b.add(graph::Unary{UnaryFunction::clip, false, 1e-12}, {length}, "clamp_min");
    length = b.add(graph::Expand{{-1, -1, -1, shape[3]}}, {length}, "expand_as");
    return b.binary(x, length, BinaryFunction::div, "div");
  }

  ValueId position_bias(std::int64_t heads) {
    const std::int64_t offsets = 2 * config_.window - 1;
    if (!config_.second) {
      const ValueId table = b.parameter("relative_position_bias_table", {offsets * offsets, heads});
      return relative_position_bias(b, table, index_, config_.window);
    }
    ValueId table =
        b.constant("relative_coords_table", {DType::f32, {1, offsets, offsets, 2}}, offsets_);
    {
      const auto scope = b.scope("cpb_mlp");
      table = b.linear(table, "0", 512);
      table = b.unary(table, UnaryFunction::relu, "1", true);
      table = b.linear(table, "2", heads, false);
    }
    table = b.reshape(table, {offsets * offsets, heads}, "view");
    ValueId bias = relative_position_bias(b, table, index_, config_.window);
    bias = b.unary(bias, UnaryFunction::sigmoid, "sigmoid");
    return b.binary(bias, b.scalar("bias_scale", 16.0), BinaryFunction::mul, "mul");
  }

  ValueId masked(ValueId scores, const Frame& frame, std::int64_t heads) {
    const std::int64_t pixels = frame.window * frame.window;
    const std::int64_t windows = frame.count(0) * frame.count(1);
    Data& data = masks_[{frame.extent, frame.shift}];
    if (data == nullptr) data = shift_mask(frame);
    const ValueId mask =
        b.constant("attn_mask", {DType::f32, {1, windows, 1, pixels, pixels}}, data);
    scores = b.reshape(scores, {-1, windows, heads, pixels, pixels}, "view");
    scores = b.binary(scores, mask, BinaryFunction::add, "add");
    b.issue_as("shift_mask");
    return b.reshape(scores, {-1, heads, pixels, pixels}, "view");
  }

  using Pair = std::array<std::int64_t, 2>;

  GraphBuilder& b;  // NOLINT(readability-identifier-naming): as in every network
  Config config_;
  Data index_;
  Data offsets_;
  std::map<std::pair<Pair, Pair>, Data> masks_;  ///< keys: extent and shift
};

Model model(const char* name, const Config& config) {
  return {.name = name,
          .input_size = config.second ? 256 : 224,
          .smallest_image = 4,
          .forward = [config](GraphBuilder& b, ValueId x, const Request& request) {
            return Swin(b, config).network(x, request.classes);
          }};
}

}  // namespace

Family swin_family() {
  return {"swin",
          {model("swin_t", {false, 96, {2, 2, 6, 2}, {3, 6, 12, 24}, 7, 0.2}),
           model("swin_s", {false, 96, {2, 2, 18, 2}, {3, 6, 12, 24}, 7, 0.3}),
           model("swin_b", {false, 128, {2, 2, 18, 2}, {4, 8, 16, 32}, 7, 0.5})}};
}

Family swin_v2_family() {
  return {"swin_v2",
          {model("swin_v2_t", {true, 96, {2, 2, 6, 2}, {3, 6, 12, 24}, 8, 0.2}),
           model("swin_v2_s", {true, 96, {2, 2, 18, 2}, {3, 6, 12, 24}, 8, 0.3}),
           model("swin_v2_b", {true, 128, {2, 2, 18, 2}, {4, 8, 16, 32}, 8, 0.5})}};
}

}  // namespace rooflab::zoo
