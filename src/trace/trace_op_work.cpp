// FLOPs and bytes of an op from the shapes that the profiler recorded (record_shapes=True).
//
//   mm (n k)(k m), addmm           2 n k m
//   bmm, baddbmm                   2 b n k m
//   linear (.. i)(o i)             2 rows i o
//   convolution (N C ..)(K C/g R ..)   2 (elements of the output) (C/g) R S    transposed: of the
//   input
//     output extent                (in + 2 padding - dilation (kernel - 1) - 1) / stride + 1
//   its backward                   the forward's FLOPs for the data gradient, the same for the
//   weights' attention (B H L E)(B Hk S E)(B Hk S D)    2 B H L S (E + D), causal counted in full
//   its backward                   2 B H L S (3 E + 2 D): Q K^T again, dP, dV, dQ, dK
//
// Bytes: each operand of the product and each result once. A bias is neither; nor are softmax
// statistics. Additions of a bias are not counted as FLOPs. Where strides and paddings are not
// recorded the output of a convolution is not known, and which gradients its backward makes
// neither: no figure. Sources: the op's signatures in PyTorch
// (aten/src/ATen/native/native_functions.yaml); Sze et al. 2020, sections 2.2 and 4.1; Dao et al.
// 2022, algorithm 4. docs/methods/cost.md.
//
// When it is wrong: the kernels may do other arithmetic (Winograd, padding to tiles), read operands
// several times or find them in the cache. Attention with sequences of different lengths in one
// tensor (varlen) has no rule.

#include "rooflab/trace/trace_op_work.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "rooflab/base/json.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::trace {
namespace {

using Shape = std::vector<std::int64_t>;

std::optional<double> bytes_of_type(std::string_view type) {
  struct Size {
    std::string_view name;
    double bytes;
  };
  static constexpr std::array<Size, 14> sizes{{{"float", 4},
                                               {"double", 8},
                                               {"c10::Half", 2},
                                               {"c10::BFloat16", 2},
                                               {"c10::Float8_e4m3fn", 1},
                                               {"c10::Float8_e5m2", 1},
                                               {"c10::Float8_e4m3fnuz", 1},
                                               {"c10::Float8_e5m2fnuz", 1},
                                               {"long int", 8},
                                               {"int", 4},
                                               {"short int", 2},
                                               {"signed char", 1},
                                               {"unsigned char", 1},
                                               {"bool", 1}}};
  for (const Size& size : sizes) {
    if (size.name == type) return size.bytes;
  }
  return std::nullopt;
}

double elements(const Shape& shape) {
  double product = 1.0;
  for (const std::int64_t extent : shape) product *= static_cast<double>(extent);
  return product;
}

/// Arguments of one call.
struct Arguments {
  explicit Arguments(std::string_view text) {
    const std::vector<std::string> lines = split(text, '\n');
    const auto line = [&](std::size_t i) {
      return i < lines.size() ? Json::parse_if_valid(lines[i]).value_or(nullptr) : Json();
    };
    shapes = line(0);
    types = line(1);
    values = line(2);
  }
  Arguments(const Arguments&) = delete;  // read in place, never handed on
  Arguments& operator=(const Arguments&) = delete;
  ~Arguments() = default;

  Json shapes;
  Json types;
  Json values;  ///< null where not recorded

  /// The shape of a tensor of that rank or, with 0, of any but a scalar; nullopt: not one.
  [[nodiscard]] std::optional<Shape> tensor(std::size_t index, std::size_t rank = 0) const {
    if (!shapes.is_array() || index >= shapes.size() || !shapes[index].is_array()) {
      return std::nullopt;
    }
    Shape shape;
    for (const Json& extent : shapes[index]) {
      if (!extent.is_number_integer() || extent.get<std::int64_t>() < 0) return std::nullopt;
      shape.push_back(extent.get<std::int64_t>());
    }
    if (shape.empty() || (rank != 0 && shape.size() != rank)) return std::nullopt;
    return shape;
  }

  [[nodiscard]] std::optional<double> element_bytes(std::size_t index) const {
    if (!types.is_array() || index >= types.size() || !types[index].is_string()) {
      return std::nullopt;
    }
    return bytes_of_type(types[index].text());
  }

  [[nodiscard]] std::optional<std::string> value(std::size_t index) const {
    if (!values.is_array() || index >= values.size() || !values[index].is_string()) {
      return std::nullopt;
    }
    return values[index].get<std::string>();
  }

  /// `[2, 2]`, or `[2]` for all extents; nullopt: not recorded, or a word such as `same`.
  [[nodiscard]] std::optional<Shape> integers(std::size_t index, std::size_t count) const {
    const std::optional<std::string> text = value(index);
    if (!text) return std::nullopt;
    const Json list = Json::parse_if_valid(*text).value_or(nullptr);
    if (!list.is_array()) return std::nullopt;
    Shape result;
    for (const Json& item : list) {
      if (!item.is_number_integer()) return std::nullopt;
      result.push_back(item.get<std::int64_t>());
    }
    if (result.size() == 1) result.resize(count, result[0]);
    if (result.size() != count) return std::nullopt;
    return result;
  }
};

using Work = std::optional<OpWork>;

/// Elements times their type's size; nullopt passes on.
void add_bytes(std::optional<double>& sum, double count, std::optional<double> element_bytes) {
  if (sum && element_bytes) {
    *sum += count * *element_bytes;
  } else {
    sum.reset();
  }
}

/// (.. n k)(.. k m) at two places, with `rank` extents; the batch is the same.
Work product(const Arguments& arguments, std::size_t left, std::size_t rank) {
  const std::optional<Shape> a = arguments.tensor(left, rank);
  const std::optional<Shape> b = arguments.tensor(left + 1, rank);
  if (!a || !b || a->back() != (*b)[rank - 2]) return std::nullopt;
  if (rank == 3 && a->front() != b->front()) return std::nullopt;
  OpWork work;
  work.flops = 2.0 * elements(*a) * static_cast<double>(b->back());
  const double result = elements(*a) / std::max<double>(static_cast<double>(a->back()), 1.0) *
                        static_cast<double>(b->back());
  const std::optional<double> size = arguments.element_bytes(left);
  work.bytes = 0.0;
  add_bytes(work.bytes, elements(*a) + result, size);
  add_bytes(work.bytes, elements(*b), arguments.element_bytes(left + 1));
  return work;
}

Work linear(const Arguments& arguments) {
  const std::optional<Shape> input = arguments.tensor(0);
  const std::optional<Shape> weight = arguments.tensor(1, 2);
  if (!input || !weight || input->back() != (*weight)[1] || input->back() == 0) return std::nullopt;
  const double result =
      elements(*input) / static_cast<double>(input->back()) * static_cast<double>((*weight)[0]);
  OpWork work;
  work.flops = 2.0 * result * static_cast<double>((*weight)[1]);
  work.bytes = 0.0;
  add_bytes(work.bytes, elements(*input) + result, arguments.element_bytes(0));
  add_bytes(work.bytes, elements(*weight), arguments.element_bytes(1));
  return work;
}

/// Where an op of convolution keeps its arguments.
struct ConvolutionPlaces {
  std::string_view op;
  std::size_t stride;
  std::size_t padding;
  std::size_t dilation;
  std::size_t transposed;  ///< 0: never
};
constexpr std::array<ConvolutionPlaces, 6> convolutions{{
    {"aten::conv1d", 3, 4, 5, 0},
    {"aten::conv2d", 3, 4, 5, 0},
    {"aten::conv3d", 3, 4, 5, 0},
    {"aten::convolution", 3, 4, 5, 6},
    {"aten::_convolution", 3, 4, 5, 6},
    {"aten::cudnn_convolution", 3, 2, 4, 0},
}};

/// FLOPs of the forward pass from the extents that each multiplies.
double convolution_flops(const Shape& input, const Shape& weight, const Shape& output,
                         bool transposed) {
  double window = static_cast<double>(weight[1]);
  for (std::size_t i = 2; i < weight.size(); ++i) window *= static_cast<double>(weight[i]);
  return 2.0 * window * elements(transposed ? input : output);
}

Work convolution(const Arguments& arguments, const ConvolutionPlaces& places) {
  const std::optional<Shape> input = arguments.tensor(0);
  if (!input || input->size() < 3) return std::nullopt;
  const std::optional<Shape> weight = arguments.tensor(1, input->size());
  if (!weight) return std::nullopt;
  if (places.transposed != 0 && arguments.value(places.transposed) != "False") {
    return std::nullopt;  // the output's extents would need the output padding
  }
  const std::size_t count = input->size() - 2;
  const std::optional<Shape> stride = arguments.integers(places.stride, count);
  const std::optional<Shape> padding = arguments.integers(places.padding, count);
  const std::optional<Shape> dilation = arguments.integers(places.dilation, count);
  if (!stride || !padding || !dilation) return std::nullopt;
  Shape output{(*input)[0], (*weight)[0]};
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t covered = (*dilation)[i] * ((*weight)[i + 2] - 1) + 1;
    const std::int64_t extent = (*input)[i + 2] + 2 * (*padding)[i];
    if ((*stride)[i] < 1 || extent < covered) return std::nullopt;
    output.push_back((extent - covered) / (*stride)[i] + 1);
  }
  OpWork work;
  work.flops = convolution_flops(*input, *weight, output, false);
  work.bytes = 0.0;
  add_bytes(work.bytes, elements(*input) + elements(output), arguments.element_bytes(0));
  add_bytes(work.bytes, elements(*weight), arguments.element_bytes(1));
  return work;
}

/// aten::convolution_backward(grad_output, input, weight, bias_sizes, stride, padding, dilation,
/// transposed, output_padding, groups, output_mask)
Work convolution_backward(const Arguments& arguments) {
  const std::optional<Shape> gradient = arguments.tensor(0);
  if (!gradient || gradient->size() < 3) return std::nullopt;
  const std::optional<Shape> input = arguments.tensor(1, gradient->size());
  const std::optional<Shape> weight = arguments.tensor(2, gradient->size());
  const std::optional<std::string> transposed = arguments.value(7);
  const std::optional<std::string> mask = arguments.value(10);
  if (!input || !weight || !transposed || !mask) return std::nullopt;
  const std::vector<std::string> made = split(std::string_view(*mask), ',');
  if (made.size() != 3) return std::nullopt;
  const bool data = made[0].find("True") != std::string::npos;
  const bool weights = made[1].find("True") != std::string::npos;
  OpWork work;
  work.flops = convolution_flops(*input, *weight, *gradient, *transposed == "True") *
               ((data ? 1.0 : 0.0) + (weights ? 1.0 : 0.0));
  work.bytes = 0.0;
  add_bytes(work.bytes, elements(*gradient), arguments.element_bytes(0));
  // The input is needed for the weights' gradient, the weights for the data's; each gradient has
  // its tensor's size.
  const double tensors = (data ? 1.0 : 0.0) + (weights ? 1.0 : 0.0);
  add_bytes(work.bytes, tensors * elements(*input), arguments.element_bytes(1));
  add_bytes(work.bytes, tensors * elements(*weight), arguments.element_bytes(2));
  return work;
}

/// Queries, keys and values at three places behind each other. `heads` and `rows` are where the
/// tensor keeps heads and sequence; the backward has the output's gradient before them.
struct AttentionPlaces {
  std::string_view op;
  std::size_t first;
  std::size_t heads;
  std::size_t rows;
  bool backward;
};
constexpr std::array<AttentionPlaces, 12> attentions{{
    {"aten::scaled_dot_product_attention", 0, 1, 2, false},
    {"aten::_scaled_dot_product_attention_math", 0, 1, 2, false},
    {"aten::_scaled_dot_product_flash_attention", 0, 1, 2, false},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", 0, 1, 2, false},
    {"aten::_scaled_dot_product_efficient_attention", 0, 1, 2, false},
    {"aten::_scaled_dot_product_cudnn_attention", 0, 1, 2, false},
    {"aten::_flash_attention_forward", 0, 2, 1, false},
    {"aten::_efficient_attention_forward", 0, 2, 1, false},
    {"aten::_scaled_dot_product_flash_attention_backward", 1, 1, 2, true},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward", 1, 1, 2, true},
    {"aten::_scaled_dot_product_efficient_attention_backward", 1, 1, 2, true},
    {"aten::_scaled_dot_product_cudnn_attention_backward", 1, 1, 2, true},
}};

Work attention(const Arguments& arguments, const AttentionPlaces& places) {
  const std::optional<Shape> q = arguments.tensor(places.first, 4);
  const std::optional<Shape> k = arguments.tensor(places.first + 1, 4);
  const std::optional<Shape> v = arguments.tensor(places.first + 2, 4);
  if (!q || !k || !v || (*q)[3] != (*k)[3] || (*q)[0] != (*k)[0]) return std::nullopt;
  const double scores = static_cast<double>((*q)[0]) * static_cast<double>((*q)[places.heads]) *
                        static_cast<double>((*q)[places.rows]) *
                        static_cast<double>((*k)[places.rows]);
  const auto depth = static_cast<double>((*q)[3]);
  const auto value_depth = static_cast<double>((*v)[3]);
  const double output = static_cast<double>((*q)[0]) * static_cast<double>((*q)[places.heads]) *
                        static_cast<double>((*q)[places.rows]) * value_depth;
  const std::optional<double> size = arguments.element_bytes(places.first);
  OpWork work;
  work.bytes = 0.0;
  if (places.backward) {
    work.flops = 2.0 * scores * (3.0 * depth + 2.0 * value_depth);
    add_bytes(work.bytes, 2.0 * (output + elements(*q) + elements(*k) + elements(*v)), size);
  } else {
    work.flops = 2.0 * scores * (depth + value_depth);
    add_bytes(work.bytes, output + elements(*q) + elements(*k) + elements(*v), size);
  }
  return work;
}

}  // namespace

std::optional<OpWork> modelled_op_work(std::string_view op, std::string_view arguments) {
  const auto parsed = [&] { return Arguments(arguments); };
  if (arguments.empty() || !op.starts_with("aten::")) return std::nullopt;
  if (op == "aten::mm") return product(parsed(), 0, 2);
  if (op == "aten::addmm" || op == "aten::_addmm_activation") return product(parsed(), 1, 2);
  if (op == "aten::bmm") return product(parsed(), 0, 3);
  if (op == "aten::baddbmm") return product(parsed(), 1, 3);
  if (op == "aten::linear") return linear(parsed());
  if (op == "aten::convolution_backward") return convolution_backward(parsed());
  for (const ConvolutionPlaces& places : convolutions) {
    if (places.op == op) return convolution(parsed(), places);
  }
  for (const AttentionPlaces& places : attentions) {
    if (places.op == op) return attention(parsed(), places);
  }
  return std::nullopt;
}

}  // namespace rooflab::trace
