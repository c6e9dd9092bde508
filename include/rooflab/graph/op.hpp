#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/precision.hpp"
#include "rooflab/graph/movement_ops.hpp"
#include "rooflab/graph/op_kinds.hpp"
#include "rooflab/graph/shape.hpp"

/// The closed set of operations that a network is made of.
///
/// Every op is a plain struct of attributes; operands are the node's inputs, in the order given at
/// each struct. Spatial attributes have one entry per spatial dimension.
///
/// Views and copies are in movement_ops.hpp. An op is added with its struct, its place in the
/// variant, its row of facts (op_facts.hpp) and its attributes by name (src/graph/op_fields.hpp).
/// The compiler then asks for each rule in the file of the op's family: constraints, type rule,
/// forward and backward pass, cost, execution, and, where the row says so, the sizes for a
/// calibration and the scaling of extents with the batch. The test tests/new_op does this with a
/// new op.
namespace rooflab::graph {

// ---- matrix ops -----------------------------------------------------------------------------

/// Inputs x [N, C, spatial...], weight [Cout, C/groups, kernel...] ([C, Cout/groups, kernel...]
/// when transposed), optionally bias [Cout]. Cross-correlation as in PyTorch and ONNX.
struct Conv {
  std::vector<std::int64_t> kernel = {};
  std::vector<std::int64_t> stride = {};
  std::vector<std::int64_t> padding_begin = {};
  std::vector<std::int64_t> padding_end = {};
  std::vector<std::int64_t> dilation = {};
  std::int64_t groups = 1;
  bool transposed = false;
  std::vector<std::int64_t> output_padding = {};  ///< transposed only
  friend bool operator==(const Conv&, const Conv&) = default;
};

/// Inputs x [..., in], weight [out, in] (or [in, out] when weight_in_by_out), optionally bias
/// [out].
struct Linear {
  bool weight_in_by_out = false;
  friend bool operator==(const Linear&, const Linear&) = default;
};

/// Inputs a [..., M, K], b [..., K, N]; leading dimensions broadcast. Rank 1 operands as in NumPy.
struct MatMul {
  friend bool operator==(const MatMul&, const MatMul&) = default;
};

/// Contraction of two operands written as `bij,bjk->bik`. MACs: product of all distinct extents.
struct Einsum {
  std::string equation = {};
  friend bool operator==(const Einsum&, const Einsum&) = default;
};

/// Scaled dot-product attention as one fused op. Inputs q [..., L, E], k [..., S, E], v [..., S,
/// D], optionally an additive mask. Output [..., L, D]. Grouped queries: k and v may have fewer
/// heads.
struct Attention {
  bool causal = false;
  std::optional<double> scale{};  ///< scale of QK^T; default: 1 / sqrt(E)
  friend bool operator==(const Attention&, const Attention&) = default;
};

/// Cells of recurrent layers; rnn_tanh and rnn_relu are Elman's.
enum class RecurrentCell : std::uint8_t { lstm, gru, rnn_tanh, rnn_relu };
constexpr auto names_in_order(For<RecurrentCell>) {
  return names_through<RecurrentCell::rnn_relu>("lstm", "gru", "rnn_tanh", "rnn_relu");
}

/// Recurrent layers over whole sequences (torch.nn.LSTM, GRU, RNN). T steps, N samples, H hidden
/// units, D directions, G gates (LSTM: i, f, g, o; GRU: r, z, n; else one).
///
/// Inputs: x [T, N, in] ([N, T, in] when batch_first); with initial_state h0 [layers * D, N, H] and
/// for LSTM c0 likewise, else both begin with zeros; then by layer, and in it by direction, w_ih
/// [G * H, in] ([G * H, D * H] after the first layer), w_hh [G * H, H] and with bias b_ih and b_hh
/// [G * H] each. Gates have the order above.
///
/// Results: y [T, N, D * H] ([N, T, D * H]), of the last layer; h of the last step [layers * D, N,
/// H], and for LSTM c likewise.
struct Recurrent {
  RecurrentCell cell = RecurrentCell::lstm;
  std::int64_t layers = 1;
  bool bidirectional = false;
  bool batch_first = false;
  bool bias = true;
  bool initial_state = false;
  double dropout = 0.0;  ///< probability, of the results of all layers but the last, in training

  [[nodiscard]] constexpr std::int64_t directions() const { return bidirectional ? 2 : 1; }
  [[nodiscard]] constexpr std::int64_t gates() const {
    return cell == RecurrentCell::lstm ? 4 : cell == RecurrentCell::gru ? 3 : 1;
  }
  /// h, and c of an LSTM.
  [[nodiscard]] constexpr std::size_t states() const { return cell == RecurrentCell::lstm ? 2 : 1; }
  /// Operand at which the weights begin, and operands of one layer and direction.
  [[nodiscard]] constexpr std::size_t first_weight() const {
    return 1 + (initial_state ? states() : 0);
  }
  [[nodiscard]] constexpr std::size_t weights_each() const { return bias ? 4 : 2; }
  friend bool operator==(const Recurrent&, const Recurrent&) = default;
};

/// More layers than any network has.
inline constexpr std::int64_t most_recurrent_layers = 1024;

// ---- normalisation --------------------------------------------------------------------------

/// Inputs x [N, C, ...], weight, bias, running mean, running variance [C] each.
struct BatchNorm {
  double epsilon = 1e-5;
  double momentum = 0.1;  ///< weight of the new batch in the running statistics
  friend bool operator==(const BatchNorm&, const BatchNorm&) = default;
};

/// Over the last `normalized_rank` dimensions. Inputs x, optionally weight and bias of those
/// extents.
struct LayerNorm {
  std::int64_t normalized_rank = 1;
  double epsilon = 1e-5;
  friend bool operator==(const LayerNorm&, const LayerNorm&) = default;
};

/// Root-mean-square normalisation over the last dimension. Inputs x, optionally weight.
struct RmsNorm {
  double epsilon = 1e-5;
  friend bool operator==(const RmsNorm&, const RmsNorm&) = default;
};

/// Inputs x [N, C, ...], optionally weight and bias [C]. Instance norm is groups == C.
struct GroupNorm {
  std::int64_t groups = 1;
  double epsilon = 1e-5;
  friend bool operator==(const GroupNorm&, const GroupNorm&) = default;
};

/// Across `size` neighbouring channels of x [N, C, ...] (AlexNet as published):
/// x / (offset + alpha / size * sum of squares)^beta.
struct LocalResponseNorm {
  std::int64_t size = 5;
  double alpha = 1e-4;
  double beta = 0.75;
  double offset = 1.0;
  friend bool operator==(const LocalResponseNorm&, const LocalResponseNorm&) = default;
};

// ---- elementwise ----------------------------------------------------------------------------

// clang-format off
enum class UnaryFunction : std::uint8_t {
  relu, relu6, leaky_relu, elu, selu, celu, gelu, gelu_tanh, silu, mish, sigmoid, hardsigmoid,
  hardswish, hardtanh, tanh, softplus, softsign, prelu_constant, erf, exp, log, sqrt, rsqrt,
  reciprocal, square, abs, neg, sign, floor, ceil, round, sin, cos, tan, asin, acos, atan, sinh,
  cosh, logical_not, bitwise_not, clip, is_nan, is_inf,
};
// clang-format on
[[nodiscard]] std::string_view name_of(UnaryFunction function);
[[nodiscard]] std::optional<UnaryFunction> unary_function_from_name(std::string_view name);

/// One function of every element. In place: the result overwrites the operand's memory.
///
/// `alpha` and `beta` are the function's constants where it has any; without them PyTorch's own
/// hold: slope of leaky_relu and prelu_constant (0.01, 0.25), alpha of elu and celu (1), bounds of
/// clip (none) and hardtanh (-1, 1), slope and offset of hardsigmoid (1/6, 1/2), beta and
/// threshold of softplus (1, 20).
struct Unary {
  UnaryFunction function = UnaryFunction::relu;
  bool inplace = false;
  std::optional<double> alpha{};
  std::optional<double> beta{};
  friend bool operator==(const Unary&, const Unary&) = default;
};

// clang-format off
enum class BinaryFunction : std::uint8_t {
  add, sub, mul, div, pow, mod, minimum, maximum, prelu, equal, not_equal, less, less_equal,
  greater, greater_equal, logical_and, logical_or, logical_xor, bitwise_and, bitwise_or,
  bitwise_xor, bit_shift,
};
// clang-format on
[[nodiscard]] std::string_view name_of(BinaryFunction function);
[[nodiscard]] std::optional<BinaryFunction> binary_function_from_name(std::string_view name);
[[nodiscard]] bool is_comparison(BinaryFunction function);  ///< result is bool

/// Two tensors, broadcast. In place: the result overwrites the first operand's memory.
struct Binary {
  BinaryFunction function = BinaryFunction::add;
  bool inplace = false;
  friend bool operator==(const Binary&, const Binary&) = default;
};

/// Inputs condition (bool), x, y; all broadcast.
struct Where {
  friend bool operator==(const Where&, const Where&) = default;
};

/// Softmax (or its logarithm) along one axis (may be negative).
struct Softmax {
  std::int64_t axis = -1;
  bool log = false;
  friend bool operator==(const Softmax&, const Softmax&) = default;
};

/// Element type change.
struct Cast {
  DType to = DType::f32;
  friend bool operator==(const Cast&, const Cast&) = default;
};

/// Zeroes each element with probability p in training; nothing in evaluation.
struct Dropout {
  double p = 0.5;
  bool inplace = false;
  friend bool operator==(const Dropout&, const Dropout&) = default;
};

/// Zeroes whole samples (rows of dimension 0) with probability p in training (torchvision's
/// StochasticDepth in mode "row"); nothing in evaluation.
struct StochasticDepth {
  double p = 0.0;
  friend bool operator==(const StochasticDepth&, const StochasticDepth&) = default;
};

// ---- pooling and reduction ------------------------------------------------------------------

enum class PoolKind : std::uint8_t { max, average };

/// Windows over x [N, C, spatial...].
struct Pool {
  PoolKind kind = PoolKind::max;
  std::vector<std::int64_t> kernel = {};
  std::vector<std::int64_t> stride = {};
  std::vector<std::int64_t> padding_begin = {};
  std::vector<std::int64_t> padding_end = {};
  std::vector<std::int64_t> dilation = {};
  bool ceil_mode = false;
  bool padding_counts = true;  ///< average: padded zeros are part of the mean
  friend bool operator==(const Pool&, const Pool&) = default;
};

/// Windows chosen so that the output has the given spatial extents (1 each: global pooling).
struct AdaptivePool {
  PoolKind kind = PoolKind::average;
  std::vector<std::int64_t> output_size = {};
  friend bool operator==(const AdaptivePool&, const AdaptivePool&) = default;
};

// clang-format off
enum class ReduceFunction : std::uint8_t {
  mean, sum, maximum, minimum, product, l1, l2, log_sum_exp, sum_square, log_sum, arg_max, arg_min,
};
// clang-format on
[[nodiscard]] std::string_view name_of(ReduceFunction function);
[[nodiscard]] std::optional<ReduceFunction> reduce_function_from_name(std::string_view name);

/// Over the given axes (non-negative, ascending). Without keep_dims they vanish.
struct Reduce {
  ReduceFunction function = ReduceFunction::mean;
  std::vector<std::int64_t> axes = {};
  bool keep_dims = false;
  std::optional<DType> dtype{};  ///< type of an l2 norm's result; default: the operand's
  friend bool operator==(const Reduce&, const Reduce&) = default;
};

/// Running sum along an axis.
struct CumulativeSum {
  std::int64_t axis = 0;
  friend bool operator==(const CumulativeSum&, const CumulativeSum&) = default;
};

/// The k largest along an axis: outputs values and i64 indices.
struct TopK {
  std::int64_t k = 1;
  std::int64_t axis = -1;
  friend bool operator==(const TopK&, const TopK&) = default;
};

// ---- unknown --------------------------------------------------------------------------------

/// An op outside the closed set: keeps its name and its outputs' types. Its importer may state its
/// work; else its cost is unknown, never zero: it is listed and lowers the coverage.
struct Opaque {
  std::string domain = {};  ///< empty for the default domain
  std::string type = {};
  std::vector<Shape> outputs = {};
  std::vector<DType> dtypes = {};
  std::optional<std::int64_t> flops{};  ///< vector FLOPs of the whole op; nullopt: unknown
  /// Kind of a calibration (`add`, `sum`, `copy`) by which its time is estimated from its bytes.
  /// Empty: unknown.
  std::string like{};
  OpClass op_class = OpClass::other;
  /// Whether the extents of its results are known and it runs no inner graph. If false, neither its
  /// work nor its memory has a bound.
  bool bounded = true;
  friend bool operator==(const Opaque&, const Opaque&) = default;
};

using Op =
    std::variant<Conv, Linear, MatMul, Einsum, Attention, Recurrent, BatchNorm, LayerNorm, RmsNorm,
                 GroupNorm, LocalResponseNorm, Unary, Binary, Where, Softmax, Cast, Dropout,
                 StochasticDepth, Pool, AdaptivePool, Reduce, CumulativeSum, TopK, Reshape,
                 Transpose, Expand, Slice, Split, Concat, Pad, Gather, GatherElements, Scatter,
                 Resize, GridSample, Contiguous, Roll, Triangle, Generate, Opaque>;

/// Name in tables and text: `conv2d`, `linear`, `relu`, `add`, `max_pool2d`; an Opaque's own type.
[[nodiscard]] std::string name_of(const Op& op);

/// Whether the op is a view; views do no device work by themselves.
[[nodiscard]] bool is_view(const Op& op);

/// Whether the result may share the first operand's memory: views, and ops that evaluation skips.
[[nodiscard]] bool may_share_memory(const Op& op);

/// Whether the result overwrites the first operand's memory.
[[nodiscard]] bool writes_in_place(const Op& op);
/// Makes the op write its result to separate memory.
void work_out_of_place(Op& op);

/// Helper for std::visit: `Overloaded{[](const Conv&) {...}, [](const auto&) {...}}`.
template <class... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <class... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;

}  // namespace rooflab::graph
