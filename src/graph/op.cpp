#include "rooflab/graph/op.hpp"

#include <array>
#include <span>

#include "rooflab/base/format.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::graph {
namespace {

// Names in the order of the enumerations. The last entry of each is checked below, so that a new
// function cannot slip in between unnoticed.
constexpr std::array<std::string_view, 44> unary_names = {
    "relu",      "relu6",     "leaky_relu", "elu",         "selu",        "celu",
    "gelu",      "gelu_tanh", "silu",       "mish",        "sigmoid",     "hardsigmoid",
    "hardswish", "hardtanh",  "tanh",       "softplus",    "softsign",    "prelu_constant",
    "erf",       "exp",       "log",        "sqrt",        "rsqrt",       "reciprocal",
    "square",    "abs",       "neg",        "sign",        "floor",       "ceil",
    "round",     "sin",       "cos",        "tan",         "asin",        "acos",
    "atan",      "sinh",      "cosh",       "logical_not", "bitwise_not", "clip",
    "is_nan",    "is_inf",
};
static_assert(unary_names.size() == static_cast<std::size_t>(UnaryFunction::is_inf) + 1);
static_assert(unary_names[static_cast<std::size_t>(UnaryFunction::sign)] == "sign");
static_assert(unary_names[static_cast<std::size_t>(UnaryFunction::clip)] == "clip");

constexpr std::array<std::string_view, 22> binary_names = {
    "add",         "sub",        "mul",           "div",         "pow",        "mod",
    "minimum",     "maximum",    "prelu",         "equal",       "not_equal",  "less",
    "less_equal",  "greater",    "greater_equal", "logical_and", "logical_or", "logical_xor",
    "bitwise_and", "bitwise_or", "bitwise_xor",   "bit_shift",
};
static_assert(binary_names.size() == static_cast<std::size_t>(BinaryFunction::bit_shift) + 1);
static_assert(binary_names[static_cast<std::size_t>(BinaryFunction::greater)] == "greater");

constexpr std::array<std::string_view, 12> reduce_names = {
    "mean", "sum",         "maximum",    "minimum", "product", "l1",
    "l2",   "log_sum_exp", "sum_square", "log_sum", "arg_max", "arg_min",
};
static_assert(reduce_names.size() == static_cast<std::size_t>(ReduceFunction::arg_min) + 1);
static_assert(reduce_names[static_cast<std::size_t>(ReduceFunction::l2)] == "l2");

template <class Function>
std::optional<Function> find_function(std::span<const std::string_view> names,
                                      std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Function>(i);
  }
  return std::nullopt;
}

std::string spatial_name(std::string_view stem, std::size_t dimensions) {
  return format("{}{}d", stem, dimensions);
}

}  // namespace

std::string_view name_of(UnaryFunction function) {
  return unary_names[static_cast<std::size_t>(function)];
}
std::string_view name_of(BinaryFunction function) {
  return binary_names[static_cast<std::size_t>(function)];
}
std::string_view name_of(ReduceFunction function) {
  return reduce_names[static_cast<std::size_t>(function)];
}

std::optional<UnaryFunction> unary_function_from_name(std::string_view name) {
  return find_function<UnaryFunction>(unary_names, name);
}
std::optional<BinaryFunction> binary_function_from_name(std::string_view name) {
  return find_function<BinaryFunction>(binary_names, name);
}
std::optional<ReduceFunction> reduce_function_from_name(std::string_view name) {
  return find_function<ReduceFunction>(reduce_names, name);
}

bool is_comparison(BinaryFunction function) {
  return function >= BinaryFunction::equal && function <= BinaryFunction::logical_xor;
}

std::string name_of(const Op& op) {
  return std::visit(
      Overloaded{
          [](const Conv& o) {
            return spatial_name(o.transposed ? "conv_transpose" : "conv", o.kernel.size());
          },
          [](const Linear&) -> std::string { return "linear"; },
          [](const MatMul&) -> std::string { return "matmul"; },
          [](const Einsum&) -> std::string { return "einsum"; },
          [](const Attention&) -> std::string { return "attention"; },
          [](const BatchNorm&) -> std::string { return "batch_norm"; },
          [](const LayerNorm&) -> std::string { return "layer_norm"; },
          [](const RmsNorm&) -> std::string { return "rms_norm"; },
          [](const GroupNorm&) -> std::string { return "group_norm"; },
          [](const LocalResponseNorm&) -> std::string { return "local_response_norm"; },
          [](const Unary& o) { return std::string(name_of(o.function)); },
          [](const Binary& o) { return std::string(name_of(o.function)); },
          [](const Where&) -> std::string { return "where"; },
          [](const Softmax& o) -> std::string { return o.log ? "log_softmax" : "softmax"; },
          [](const Cast&) -> std::string { return "cast"; },
          [](const Dropout&) -> std::string { return "dropout"; },
          [](const StochasticDepth&) -> std::string { return "stochastic_depth"; },
          [](const Pool& o) {
            return spatial_name(o.kind == PoolKind::max ? "max_pool" : "avg_pool", o.kernel.size());
          },
          [](const AdaptivePool& o) {
            return spatial_name(o.kind == PoolKind::max ? "adaptive_max_pool" : "adaptive_avg_pool",
                                o.output_size.size());
          },
          [](const Reduce& o) { return std::string(name_of(o.function)); },
          [](const CumulativeSum&) -> std::string { return "cumsum"; },
          [](const TopK&) -> std::string { return "topk"; },
          [](const Reshape&) -> std::string { return "reshape"; },
          [](const Transpose&) -> std::string { return "transpose"; },
          [](const Expand&) -> std::string { return "expand"; },
          [](const Slice&) -> std::string { return "slice"; },
          [](const Split&) -> std::string { return "split"; },
          [](const Concat&) -> std::string { return "concat"; },
          [](const Pad&) -> std::string { return "pad"; },
          [](const Gather&) -> std::string { return "gather"; },
          [](const GatherElements&) -> std::string { return "gather_elements"; },
          [](const Scatter&) -> std::string { return "scatter"; },
          [](const Resize&) -> std::string { return "resize"; },
          [](const Contiguous&) -> std::string { return "contiguous"; },
          [](const Roll&) -> std::string { return "roll"; },
          [](const Triangle& o) -> std::string { return o.upper ? "triu" : "tril"; },
          [](const Generate&) -> std::string { return "generate"; },
          [](const Opaque& o) { return o.type; },
      },
      op);
}

bool is_view(const Op& op) {
  return std::visit(Overloaded{
                        [](const Reshape&) { return true; },
                        [](const Transpose&) { return true; },
                        [](const Expand&) { return true; },
                        [](const Slice&) { return true; },
                        [](const Split&) { return true; },
                        [](const auto&) { return false; },
                    },
                    op);
}

}  // namespace rooflab::graph
