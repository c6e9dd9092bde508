// Functions of single elements and their gradients. A function is known by its name in
// graph/function_facts.hpp, or by the name that PyTorch gives it (aliases below).

#include <array>

#include "rules.hpp"

namespace rooflab::recording {
namespace {

using graph::Binary;
using graph::BinaryFunction;
using graph::Unary;
using graph::UnaryFunction;
using graph::ValueId;

template <class Function>
struct Alias {
  std::string_view name;
  Function function;
};

constexpr std::array unary_aliases = {
    Alias<UnaryFunction>{"threshold", UnaryFunction::relu},
    Alias<UnaryFunction>{"clamp", UnaryFunction::clip},
    Alias<UnaryFunction>{"clamp_min", UnaryFunction::clip},
    Alias<UnaryFunction>{"clamp_max", UnaryFunction::clip},
    Alias<UnaryFunction>{"sgn", UnaryFunction::sign},
    Alias<UnaryFunction>{"isnan", UnaryFunction::is_nan},
    Alias<UnaryFunction>{"isinf", UnaryFunction::is_inf},
    Alias<UnaryFunction>{"log1p", UnaryFunction::log},
    Alias<UnaryFunction>{"log2", UnaryFunction::log},
    Alias<UnaryFunction>{"log10", UnaryFunction::log},
    Alias<UnaryFunction>{"expm1", UnaryFunction::exp},
    Alias<UnaryFunction>{"exp2", UnaryFunction::exp},
    Alias<UnaryFunction>{"erfc", UnaryFunction::erf},
    Alias<UnaryFunction>{"trunc", UnaryFunction::floor},
};

constexpr std::array binary_aliases = {
    Alias<BinaryFunction>{"rsub", BinaryFunction::sub},
    Alias<BinaryFunction>{"eq", BinaryFunction::equal},
    Alias<BinaryFunction>{"ne", BinaryFunction::not_equal},
    Alias<BinaryFunction>{"lt", BinaryFunction::less},
    Alias<BinaryFunction>{"le", BinaryFunction::less_equal},
    Alias<BinaryFunction>{"gt", BinaryFunction::greater},
    Alias<BinaryFunction>{"ge", BinaryFunction::greater_equal},
    Alias<BinaryFunction>{"remainder", BinaryFunction::mod},
    Alias<BinaryFunction>{"fmod", BinaryFunction::mod},
    Alias<BinaryFunction>{"floor_divide", BinaryFunction::div},
    Alias<BinaryFunction>{"fmax", BinaryFunction::maximum},
    Alias<BinaryFunction>{"fmin", BinaryFunction::minimum},
    Alias<BinaryFunction>{"max", BinaryFunction::maximum},
    Alias<BinaryFunction>{"min", BinaryFunction::minimum},
    Alias<BinaryFunction>{"__and__", BinaryFunction::bitwise_and},
    Alias<BinaryFunction>{"__or__", BinaryFunction::bitwise_or},
    Alias<BinaryFunction>{"__xor__", BinaryFunction::bitwise_xor},
    Alias<BinaryFunction>{"__iand__", BinaryFunction::bitwise_and},
    Alias<BinaryFunction>{"__ior__", BinaryFunction::bitwise_or},
    Alias<BinaryFunction>{"__ixor__", BinaryFunction::bitwise_xor},
    Alias<BinaryFunction>{"bitwise_left_shift", BinaryFunction::bit_shift},
    Alias<BinaryFunction>{"bitwise_right_shift", BinaryFunction::bit_shift},
    Alias<BinaryFunction>{"__lshift__", BinaryFunction::bit_shift},
    Alias<BinaryFunction>{"__rshift__", BinaryFunction::bit_shift},
    Alias<BinaryFunction>{"atan2", BinaryFunction::pow},
    Alias<BinaryFunction>{"_prelu_kernel", BinaryFunction::prelu},
    Alias<BinaryFunction>{"prelu", BinaryFunction::prelu},
};

template <class Function, std::size_t count>
std::optional<Function> alias_of(std::string_view name,
                                 const std::array<Alias<Function>, count>& aliases) {
  for (const Alias<Function>& alias : aliases) {
    if (alias.name == name) return alias.function;
  }
  return std::nullopt;
}

std::optional<UnaryFunction> unary_of(const OpView& view, std::string_view name) {
  if (name == "gelu" && view.text("approximate") == "tanh") return UnaryFunction::gelu_tanh;
  if (const auto known = graph::unary_function_from_name(name)) return known;
  return alias_of(name, unary_aliases);
}

std::optional<BinaryFunction> binary_of(std::string_view name) {
  if (const auto known = graph::binary_function_from_name(name)) return known;
  return alias_of(name, binary_aliases);
}

bool lower_unary(const OpView& view, UnaryFunction function) {
  const STensor x = view.in(0);
  const STensor y = view.out(0);
  if (x == no_tensor || y == no_tensor) return false;
  emit_node(view, Unary{.function = function, .inplace = view.in_place()},
            {view.lowerer().value(x)}, {x}, {y}, view.plain_pass());
  return true;
}

bool lower_binary(const OpView& view, BinaryFunction function) {
  Lowerer& l = view.lowerer();
  const STensor y = view.out(0);
  const std::vector<STensor> reads = view.all_in();
  if (y == no_tensor || reads.empty()) return false;
  // Batch norm's count of batches was measured together with it.
  const schedule::Tensor& result = l.tensor(y);
  if (view.in_place() && result.type.dtype == DType::i64 && result.type.shape.rank() == 0 &&
      l.role_of(y) == schedule::Role::buffer) {
    const graph::NodeId node = l.node(view, Binary{.function = function, .inplace = true},
                                      {l.value(y), l.value(y)}, {l.value(y)});
    l.emit(schedule::CounterWork{}, node, view.plain_pass(), {y}, {y});
    return true;
  }
  const bool sums = view.is_backward() && function == BinaryFunction::add && reads.size() == 2 &&
                    l.shape(reads[0]) == l.shape(reads[1]);
  if (sums) {
    const graph::NodeId node =
        l.node(view, Binary{.function = function}, values_of_tensors(l, reads), {l.value(y)});
    l.emit(schedule::AccumulateWork{}, node, Pass::data_gradient, reads, {y});
    return true;
  }
  const auto operand = [&](std::size_t place) {
    const STensor tensor = view.in(place);
    return tensor == no_tensor ? l.described({l.tensor(reads[0]).type.dtype, {}}) : l.value(tensor);
  };
  const bool gradient = view.is_backward() && function == BinaryFunction::mul;
  emit_node(view, Binary{.function = function, .inplace = view.in_place()},
            {operand(0), operand(1)}, reads, {y},
            gradient ? Pass::data_gradient : view.plain_pass());
  return true;
}

/// pow by a number: a square is a separate function.
bool power(const OpView& view) {
  if (view.number_or("exponent", 0.0) == 2.0) return lower_unary(view, UnaryFunction::square);
  if (view.op().arguments.find("exponent") != view.op().arguments.end()) {
    return lower_unary(view, UnaryFunction::exp);  // one function of each element
  }
  return lower_binary(view, BinaryFunction::pow);
}

/// A function's gradient: of dy and what the forward pass kept.
bool lower_gradient(const OpView& view, UnaryFunction function) {
  Lowerer& l = view.lowerer();
  const STensor dx = view.out(0);
  if (view.in(0) == no_tensor || dx == no_tensor) return false;
  // The forward pass may have run in place.
  const auto in_place =
      l.find_forward(view, Unary{.function = function, .inplace = true}, l.shape(dx));
  const graph::NodeId node = in_place ? *in_place
                                      : gradient_node(view, Unary{.function = function},
                                                      {l.value(view.in(0))}, l.value(dx));
  l.emit(schedule::NodeWork{}, node, Pass::data_gradient, view.all_in(), {dx});
  return true;
}

bool where(const OpView& view) {
  Lowerer& l = view.lowerer();
  const STensor y = view.out(0);
  const std::vector<STensor> reads = view.all_in();
  if (y == no_tensor || reads.empty()) return false;
  std::vector<ValueId> inputs = values_of_tensors(l, reads);
  while (inputs.size() < 3) inputs.push_back(l.described({l.tensor(y).type.dtype, {}}));
  emit_node(view, graph::Where{}, std::move(inputs), reads, {y}, view.plain_pass());
  return true;
}

/// max and min of two tensors; over an axis they are reductions.
bool larger_or_smaller(const OpView& view) {
  if (view.arity() == 2) return lower_binary(view, *binary_of(view.name()));
  return lower_reduction(view, view.name() == "max" ? "amax" : "amin");
}

/// Any function of the tables of facts, and their gradients.
bool by_function(const OpView& view) {
  constexpr std::string_view gradient = "_backward";
  std::string_view name = view.name();
  if (name.ends_with(gradient)) {
    name.remove_suffix(gradient.size());
    const auto function = unary_of(view, name);
    return function && lower_gradient(view, *function);
  }
  if (const auto function = unary_of(view, name)) return lower_unary(view, *function);
  if (const auto function = binary_of(name)) return lower_binary(view, *function);
  return false;
}

constexpr std::array elementwise_table = {
    NamedRule{"pow", power},
    NamedRule{"where", where},
    NamedRule{"max", larger_or_smaller},
    NamedRule{"min", larger_or_smaller},
    NamedRule{"", by_function},  // for every name that no table has
};

}  // namespace

std::span<const NamedRule> elementwise_rules() { return elementwise_table; }

}  // namespace rooflab::recording
