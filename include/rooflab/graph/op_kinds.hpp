#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/graph/shape.hpp"

/// Enumerations for rows of facts about ops (op_facts.hpp, function_facts.hpp).
namespace rooflab::graph {

/// Family of an op: type rules, lowering, cost and execution are in files by family.
enum class Family : std::uint8_t {
  matrix,         ///< convolution, linear, products, attention, recurrent layers
  normalisation,  ///< batch, layer, group, RMS and local response norm, softmax
  elementwise,    ///< functions of single elements, dropout, casts
  pooling,        ///< windows
  reduction,      ///< reductions, scans, selections
  movement,       ///< views, copies, resampling, data made from nothing
  unknown,        ///< outside the closed set: no execution, and a cost only if the op states it
};

/// Classes of ops in tables of where the time goes.
enum class OpClass : std::uint8_t {
  convolution,
  matmul,         ///< linear layers, matrix products, contractions
  attention,      ///< the fused op
  recurrent,      ///< layers of LSTM, GRU and plain cells
  normalisation,  ///< batch, layer, group, RMS and local response norm
  activation,     ///< relu to softsign, and softmax
  pooling,        ///< pooling and reductions
  elementwise,    ///< arithmetic of tensors, dropout
  copy,           ///< concatenation, padding, casts, gathers, views that must copy
  loss,
  optimizer,
  other,  ///< unknown ops, and time that belongs to no op
};
constexpr auto names_in_order(For<OpClass>) {
  return names_through<OpClass::other>("convolution", "linear and matmul", "attention", "recurrent",
                                       "normalisation", "activation", "pooling", "elementwise",
                                       "copy", "loss", "optimizer", "other");
}

/// Classes of ops in charts: few enough for one colour each, the same on every page.
enum class WorkClass : std::uint8_t {
  convolution,
  product,        ///< linear layers, matrix products, attention, recurrent layers
  normalisation,  ///< batch, layer, group, RMS and local response norm
  elementwise,    ///< activations, arithmetic of tensors, dropout, pooling
  copy,           ///< concatenation, padding, casts, gathers, views that must copy
  other,          ///< loss, optimizer, unknown ops
};
constexpr auto names_in_order(For<WorkClass>) {
  return names_through<WorkClass::other>("convolution", "matrix products", "normalisation",
                                         "element-wise", "copies", "other");
}
[[nodiscard]] constexpr WorkClass work_class_of(OpClass op_class) {
  switch (op_class) {
    case OpClass::convolution:
      return WorkClass::convolution;
    case OpClass::matmul:
    case OpClass::attention:
    case OpClass::recurrent:
      return WorkClass::product;
    case OpClass::normalisation:
      return WorkClass::normalisation;
    case OpClass::activation:
    case OpClass::pooling:
    case OpClass::elementwise:
      return WorkClass::elementwise;
    case OpClass::copy:
      return WorkClass::copy;
    case OpClass::loss:
    case OpClass::optimizer:
    case OpClass::other:
      return WorkClass::other;
  }
  return WorkClass::other;
}

/// Treatment of an op's floating operands by PyTorch's autocast.
enum class Autocast : std::uint8_t {
  low,          ///< casts them to the 16-bit type
  full,         ///< casts them to fp32
  widest,       ///< casts them to fp32 when one of them is fp32
  as_is,        ///< no cast: the op promotes inside its own kernel
  full_result,  ///< no cast, and the result is fp32: norms ("fp32_append_dtype" in ATen)
};

/// A deliberate difference between the model's FLOPs and the hardware's counters.
enum class Convention : std::uint8_t {
  none,
  comparison,  ///< one FLOP for the model, none for the counters
  elementary,  ///< exp, division, ...: one for the model, several or none for the counters
};

/// Source of an op's sizes in a calibration.
enum class Sizes : std::uint8_t {
  elements,  ///< only its elements, under its own name
  own,       ///< a rule in predict/op_shape.cpp
  none,      ///< unknown
};

/// Vector FLOPs for each element of the result.
struct PerElement {
  std::int64_t forward = {};
  std::int64_t backward = {};
};

/// An operand that holds the batch.
struct BatchAt {
  std::size_t operand = {};
  std::size_t axis = {};
  std::size_t rank = {};                      ///< rank of the operand
  std::span<const Shape* const> shapes = {};  ///< shapes of all operands
};

}  // namespace rooflab::graph
