// FLOPs and bytes of an op from the shapes that the profiler recorded (record_shapes=True).
//
//   mm (n k)(k m), addmm           2 n k m
//   bmm, baddbmm                   2 b n k m
//   linear (.. i)(o i)             2 rows i o
//   convolution (N C ..)(K C/g R ..)   2 (elements of the output) (C/g) R S
//     (transposed: of the input)
//     output extent                (in + 2 padding - dilation (kernel - 1) - 1) / stride + 1
//   its backward                   the forward's FLOPs for each gradient, of data and of weights
//   attention (B H L E)(B Hk S E)(B Hk S D)    2 B H L S (E + D), causal counted in full
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

#include "trace_op_work.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "rooflab/base/json.hpp"
#include "rooflab/base/text.hpp"
#include "type_sizes.hpp"

namespace rooflab::trace {
namespace {

using Shape = std::vector<double>;

double elements(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), 1.0, std::multiplies<>());
}

/// A list of integers; nullopt: something else.
std::optional<Shape> integers_of(const Json& list) {
  if (!list.is_array()) return std::nullopt;
  Shape result;
  for (const Json& item : list) {
    if (!item.is_number_integer()) return std::nullopt;
    result.push_back(item.get<double>());
  }
  return result;
}

/// Arguments of one call, each line of their text as JSON; null where not recorded.
class Arguments {
 public:
  explicit Arguments(std::string_view text) {
    const std::vector<std::string> lines = split(text, '\n');
    for (std::size_t i = 0; i < std::min(lines.size(), lines_.size()); ++i) {
      lines_[i] = Json::parse_if_valid(lines[i]).value_or(nullptr);
    }
  }

  [[nodiscard]] std::size_t count() const { return lines_[0].is_array() ? lines_[0].size() : 0; }
  [[nodiscard]] std::optional<Shape> shape(std::size_t index) const {
    return index < count() ? integers_of(lines_[0][index]) : std::nullopt;
  }
  /// The shape of a tensor of that rank or, with 0, of any but a scalar; nullopt: not one.
  [[nodiscard]] std::optional<Shape> tensor(std::size_t index, std::size_t rank = 0) const {
    std::optional<Shape> found = shape(index);
    const bool fits = found && !found->empty() && (rank == 0 || found->size() == rank) &&
                      std::ranges::min(*found) >= 0.0;
    return fits ? found : std::nullopt;
  }
  [[nodiscard]] std::optional<std::string> type(std::size_t index) const {
    return text_at(lines_[1], index);
  }
  [[nodiscard]] std::optional<std::string> value(std::size_t index) const {
    return text_at(lines_[2], index);
  }
  /// `[2, 2]`, or `[2]` for all extents; nullopt: not recorded, or a word such as `same`.
  [[nodiscard]] std::optional<Shape> integers(std::size_t index, std::size_t count) const {
    const std::optional<std::string> text = value(index);
    if (!text) return std::nullopt;
    std::optional<Shape> result = integers_of(Json::parse_if_valid(*text).value_or(nullptr));
    if (result && result->size() == 1) result->resize(count, result->front());
    return result && result->size() == count ? result : std::nullopt;
  }

 private:
  static std::optional<std::string> text_at(const Json& list, std::size_t index) {
    const bool there = list.is_array() && index < list.size() && list[index].is_string();
    return there ? std::optional(list[index].get<std::string>()) : std::nullopt;
  }

  std::array<Json, 3> lines_;  ///< shapes, types, values
};

using Work = std::optional<OpWork>;

/// Names that the profiler writes.
std::optional<DType> real_type_of(std::string_view type) {
  if (type == "float") return DType::f32;
  if (type == "c10::BFloat16") return DType::bf16;
  if (type == "c10::Half") return DType::f16;
  if (type == "double") return DType::f64;
  return std::nullopt;
}

/// Elements that are read or written, and the argument that has their type.
struct Moved {
  double elements;
  std::size_t argument;
};

OpWork work_of(const Arguments& arguments, double flops, std::initializer_list<Moved> moved) {
  OpWork work{.flops = flops, .bytes = 0.0, .type = {}};
  work.type = real_type_of(arguments.type(moved.begin()->argument).value_or(""));
  for (const Moved& each : moved) {
    const std::optional<double> size = element_bytes_of(arguments.type(each.argument).value_or(""));
    if (!size) work.bytes.reset();
    if (work.bytes) *work.bytes += each.elements * *size;
  }
  return work;
}

/// (.. n k)(.. k m) at two places, with `rank` extents; the batch is the same.
Work product(const Arguments& arguments, std::size_t left, std::size_t rank) {
  const std::optional<Shape> a = arguments.tensor(left, rank);
  const std::optional<Shape> b = arguments.tensor(left + 1, rank);
  if (!a || !b || a->back() != (*b)[rank - 2]) return std::nullopt;
  if (rank == 3 && a->front() != b->front()) return std::nullopt;
  const double result = elements(*a) / std::max(a->back(), 1.0) * b->back();
  return work_of(arguments, 2.0 * elements(*a) * b->back(),
                 {{elements(*a) + result, left}, {elements(*b), left + 1}});
}

Work linear(const Arguments& arguments) {
  const std::optional<Shape> input = arguments.tensor(0);
  const std::optional<Shape> weight = arguments.tensor(1, 2);
  if (!input || !weight || input->back() != (*weight)[1] || input->back() == 0) return std::nullopt;
  const double result = elements(*input) / input->back() * (*weight)[0];
  return work_of(arguments, 2.0 * result * (*weight)[1],
                 {{elements(*input) + result, 0}, {elements(*weight), 1}});
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
  const double window = elements(Shape(weight.begin() + 1, weight.end()));
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
    const double covered = (*dilation)[i] * ((*weight)[i + 2] - 1.0) + 1.0;
    const double extent = (*input)[i + 2] + 2.0 * (*padding)[i];
    if ((*stride)[i] < 1.0 || extent < covered) return std::nullopt;
    output.push_back(std::floor((extent - covered) / (*stride)[i]) + 1.0);
  }
  return work_of(arguments, convolution_flops(*input, *weight, output, false),
                 {{elements(*input) + elements(output), 0}, {elements(*weight), 1}});
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
  const std::vector<std::string> made = split(*mask, ',');
  if (made.size() != 3) return std::nullopt;
  // The input is needed for the weights' gradient, the weights for the data's; each gradient has
  // its tensor's size.
  const auto gradients = static_cast<double>(std::count_if(
      made.begin(), made.begin() + 2,
      [](const std::string& each) { return each.find("True") != std::string::npos; }));
  return work_of(arguments,
                 gradients * convolution_flops(*input, *weight, *gradient, *transposed == "True"),
                 {{elements(*gradient), 0},
                  {gradients * elements(*input), 1},
                  {gradients * elements(*weight), 2}});
}

/// Queries, keys and values stand behind each other; a backward pass has the output's gradient
/// before them.
struct AttentionOp {
  std::string_view op;
  bool rows_first = false;  ///< (B L H E); else (B H L E)

  [[nodiscard]] bool is_backward() const { return op.ends_with("_backward"); }
};
constexpr auto attentions = std::to_array<AttentionOp>({
    {"aten::scaled_dot_product_attention"},
    {"aten::_scaled_dot_product_attention_math"},
    {"aten::_scaled_dot_product_flash_attention"},
    {"aten::_scaled_dot_product_flash_attention_for_cpu"},
    {"aten::_scaled_dot_product_efficient_attention"},
    {"aten::_scaled_dot_product_cudnn_attention"},
    {"aten::_flash_attention_forward", true},
    {"aten::_efficient_attention_forward", true},
    {"aten::_scaled_dot_product_flash_attention_backward"},
    {"aten::_scaled_dot_product_flash_attention_for_cpu_backward"},
    {"aten::_scaled_dot_product_efficient_attention_backward"},
    {"aten::_scaled_dot_product_cudnn_attention_backward"},
});

Work attention(const Arguments& arguments, const AttentionOp& op) {
  const std::size_t first = op.is_backward() ? 1 : 0;
  const std::optional<Shape> q = arguments.tensor(first, 4);
  const std::optional<Shape> k = arguments.tensor(first + 1, 4);
  const std::optional<Shape> v = arguments.tensor(first + 2, 4);
  if (!q || !k || !v || (*q)[3] != (*k)[3] || (*q)[0] != (*k)[0]) return std::nullopt;
  const double queries = (*q)[0] * (*q)[1] * (*q)[2];
  const double scores = queries * (*k)[op.rows_first ? 1 : 2];
  const double depth = (*q)[3];
  const double value_depth = (*v)[3];
  const double tensors = queries * value_depth + elements(*q) + elements(*k) + elements(*v);
  return op.is_backward()
             ? work_of(arguments, 2.0 * scores * (3.0 * depth + 2.0 * value_depth),
                       {{2.0 * tensors, first}})
             : work_of(arguments, 2.0 * scores * (depth + value_depth), {{tensors, first}});
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
  for (const AttentionOp& known : attentions) {
    if (known.op == op) return attention(parsed(), known);
  }
  return std::nullopt;
}

double plugin_bytes(std::string_view arguments) {
  const Arguments parsed(arguments);
  double bytes = 0.0;
  for (std::size_t i = 0; i < parsed.count(); ++i) {
    const double size = plugin_element_bytes_of(parsed.type(i).value_or("")).value_or(0.0);
    if (const std::optional<Shape> shape = parsed.shape(i)) bytes += size * elements(*shape);
  }
  return bytes;
}

}  // namespace rooflab::trace
