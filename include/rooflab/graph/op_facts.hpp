#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <variant>

#include "rooflab/graph/fact_row.hpp"
#include "rooflab/graph/function_facts.hpp"

/// One row of facts for each op: the properties of ops that need no separate function. Attributes
/// by name are in src/graph/op_fields.hpp; type rules, lowering, cost and execution are functions
/// in files by family.
///
/// An op is added with one row here. A row that lacks a fact without a default does not compile,
/// and neither does an op without a row.
namespace rooflab::graph {

// ---- values of facts that several rows share ------------------------------------------------

inline constexpr PerElement no_flops{0, 0};

template <class Struct>
constexpr bool anywhere(const Struct&, BatchAt) {
  return true;
}
template <class Struct>
constexpr bool rows_of_first(const Struct&, BatchAt at) {
  return at.operand == 0 && at.axis == 0;
}
/// Whether the batch is in the first operand, but not in its last dimension.
template <class Struct>
constexpr bool features_of_first(const Struct&, BatchAt at) {
  return at.operand == 0 && at.axis + 1 < at.rank;
}
/// Whether the batch is outside the matrices (the last two dimensions).
template <class Struct>
constexpr bool before_matrices(const Struct&, BatchAt at) {
  return at.axis + 2 < at.rank;
}
template <class Struct>
constexpr bool off_the_axis(const Struct& op, BatchAt at) {
  const std::int64_t axis = op.axis < 0 ? op.axis + static_cast<std::int64_t>(at.rank) : op.axis;
  return static_cast<std::size_t>(axis) != at.axis;
}

/// Number of coordinates of a place: the extent of the last dimension of n-d indices.
inline std::size_t coordinates(BatchAt at) {
  return static_cast<std::size_t>(at.shapes[1]->from_end(1));
}

template <class Pooling>
constexpr Convention convention_of_pooling(const Pooling& op) {
  return op.kind == PoolKind::max ? Convention::comparison : Convention::elementary;
}

// ---- the rows, in the order of op.hpp -------------------------------------------------------

// clang-format off
constexpr OpFacts<Conv> facts_of(For<Conv>) {
  return {.word = "conv",
          .name = [](const Conv& op) -> Name { return op.transposed ? "conv_transpose" : "conv"; },
          .dimensions = &Conv::kernel, .operands = Operands{2, 3}, .family = Family::matrix,
          .op_class = OpClass::convolution, .issued_as = "conv2d", .autocast = Autocast::low,
          .sizes = Sizes::own, .keeps_samples_apart = rows_of_first};
}
constexpr OpFacts<Linear> facts_of(For<Linear>) {
  return {.word = "linear", .operands = Operands{2, 3}, .family = Family::matrix,
          .op_class = OpClass::matmul, .issued_as = "linear", .autocast = Autocast::low,
          .sizes = Sizes::own, .keeps_samples_apart = features_of_first};
}
constexpr OpFacts<MatMul> facts_of(For<MatMul>) {
  return {.word = "matmul", .operands = Operands{2, 2}, .family = Family::matrix,
          .op_class = OpClass::matmul, .issued_as = "matmul", .autocast = Autocast::low,
          .sizes = Sizes::own, .keeps_samples_apart = anywhere};
}
constexpr OpFacts<Einsum> facts_of(For<Einsum>) {
  return {.word = "einsum", .operands = Operands{1, any_number}, .family = Family::matrix,
          .op_class = OpClass::matmul, .issued_as = "einsum", .issued_like = "matmul",
          .autocast = Autocast::low,
          .sizes = Sizes::elements, .keeps_samples_apart = anywhere};
}
constexpr OpFacts<Attention> facts_of(For<Attention>) {
  return {.word = "attention", .operands = Operands{3, 4}, .family = Family::matrix,
          .op_class = OpClass::attention, .issued_as = "attention", .autocast = Autocast::low,
          .sizes = Sizes::own, .keeps_samples_apart = before_matrices};
}
/// Accepts any operands for a number of layers that the constraints refuse.
constexpr OpFacts<Recurrent> facts_of(For<Recurrent>) {
  return {.word = "recurrent",
          .name = [](const Recurrent& op) -> Name { return rooflab::name_of(op.cell); },
          .operands = [](const Recurrent& op) {
            if (op.layers < 1 || op.layers > most_recurrent_layers) return Operands{1, any_number};
            const auto directions = static_cast<std::size_t>(op.layers * op.directions());
            const std::size_t count = op.first_weight() + directions * op.weights_each();
            return Operands{count, count};
          },
          .results = [](const Recurrent& op) { return 1 + op.states(); },
          .family = Family::matrix, .op_class = OpClass::recurrent, .issued_as = "recurrent",
          .autocast = Autocast::low, .sizes = Sizes::own,
          .keeps_samples_apart = [](const Recurrent& op, BatchAt at) {
            if (at.operand >= op.first_weight()) return false;
            return at.axis == (at.operand == 0 && op.batch_first ? 0 : 1);
          }};
}
constexpr OpFacts<BatchNorm> facts_of(For<BatchNorm>) {
  return {.word = "batch_norm", .operands = Operands{5, 5}, .family = Family::normalisation,
          .op_class = OpClass::normalisation, .issued_as = "batch_norm",
          .autocast = Autocast::as_is, .sizes = Sizes::own, .keeps_samples_apart = rows_of_first};
}
constexpr OpFacts<LayerNorm> facts_of(For<LayerNorm>) {
  return {.word = "layer_norm", .operands = Operands{1, 3}, .family = Family::normalisation,
          .op_class = OpClass::normalisation, .issued_as = "layer_norm", .autocast = Autocast::full,
          .sizes = Sizes::own,
          .keeps_samples_apart = [](const LayerNorm& op, BatchAt at) {
            const auto normalized = static_cast<std::size_t>(op.normalized_rank);
            return at.operand == 0 && at.axis + normalized < at.rank;
          }};
}
constexpr OpFacts<RmsNorm> facts_of(For<RmsNorm>) {
  return {.word = "rms_norm", .operands = Operands{1, 2}, .family = Family::normalisation,
          .op_class = OpClass::normalisation, .issued_as = "layer_norm", .autocast = Autocast::full,
          .sizes = Sizes::own, .keeps_samples_apart = features_of_first};
}
constexpr OpFacts<GroupNorm> facts_of(For<GroupNorm>) {
  return {.word = "group_norm", .operands = Operands{1, 3}, .family = Family::normalisation,
          .op_class = OpClass::normalisation, .issued_as = "layer_norm", .autocast = Autocast::full,
          .sizes = Sizes::own, .keeps_samples_apart = rows_of_first};
}
constexpr OpFacts<LocalResponseNorm> facts_of(For<LocalResponseNorm>) {
  return {.word = "local_response_norm", .operands = Operands{1, 1},
          .family = Family::normalisation, .op_class = OpClass::normalisation,
          .issued_as = "layer_norm", .autocast = Autocast::as_is,
          .convention = Convention::elementary, .sizes = Sizes::elements,
          .keeps_samples_apart = rows_of_first};
}
constexpr OpFacts<Unary> facts_of(For<Unary>) {
  return {.word = "unary", .name = [](const Unary& op) { return facts_of(op.function).name; },
          .operands = Operands{1, 1}, .in_place = &Unary::inplace, .family = Family::elementwise,
          .op_class = [](const Unary& op) { return facts_of(op.function).op_class; },
          .issued_as = "unary",
          .autocast = [](const Unary& op) { return facts_of(op.function).autocast; },
          .flops = [](const Unary& op) { return facts_of(op.function).flops; },
          .convention = [](const Unary& op) { return facts_of(op.function).convention; },
          .sizes = Sizes::own, .keeps_samples_apart = anywhere};
}
constexpr OpFacts<Binary> facts_of(For<Binary>) {
  return {.word = "binary", .name = [](const Binary& op) { return facts_of(op.function).name; },
          .operands = Operands{2, 2}, .in_place = &Binary::inplace, .family = Family::elementwise,
          .op_class = [](const Binary& op) { return facts_of(op.function).op_class; },
          .issued_as = "binary",
          .autocast = [](const Binary& op) { return facts_of(op.function).autocast; },
          .flops = [](const Binary& op) { return facts_of(op.function).flops; },
          .convention = [](const Binary& op) { return facts_of(op.function).convention; },
          .sizes = Sizes::own, .keeps_samples_apart = anywhere};
}
constexpr OpFacts<Where> facts_of(For<Where>) {
  return {.word = "where", .operands = Operands{3, 3}, .family = Family::elementwise,
          .op_class = OpClass::elementwise, .issued_as = "binary", .autocast = Autocast::as_is,
          .flops = no_flops, .sizes = Sizes::elements, .keeps_samples_apart = anywhere};
}
constexpr OpFacts<Softmax> facts_of(For<Softmax>) {
  return {.word = "softmax",
          .name = [](const Softmax& op) -> Name { return op.log ? "log_softmax" : "softmax"; },
          .operands = Operands{1, 1}, .family = Family::normalisation,
          .op_class = OpClass::activation, .issued_as = "softmax", .autocast = Autocast::full,
          .convention = Convention::elementary, .sizes = Sizes::own,
          .keeps_samples_apart = off_the_axis};
}
constexpr OpFacts<Cast> facts_of(For<Cast>) {
  return {.word = "cast", .operands = Operands{1, 1}, .family = Family::elementwise,
          .op_class = OpClass::copy, .issued_as = "cast", .autocast = Autocast::as_is,
          .flops = no_flops, .sizes = Sizes::own, .keeps_samples_apart = anywhere};
}
/// Two FLOPs to keep and scale an element, or one with precomputed noise.
constexpr OpFacts<Dropout> facts_of(For<Dropout>) {
  return {.word = "dropout", .operands = Operands{1, 1}, .vanishes_in_evaluation = true,
          .in_place = &Dropout::inplace, .family = Family::elementwise,
          .op_class = OpClass::elementwise, .issued_as = "dropout", .autocast = Autocast::as_is,
          .flops = [](const Dropout& op) {
            return op.inplace ? PerElement{1, 1} : PerElement{2, 2};
          },
          .sizes = Sizes::own, .keeps_samples_apart = anywhere};
}
constexpr OpFacts<StochasticDepth> facts_of(For<StochasticDepth>) {
  return {.word = "stochastic_depth", .operands = Operands{1, 1}, .vanishes_in_evaluation = true,
          .family = Family::elementwise, .op_class = OpClass::elementwise, .issued_as = "dropout",
          .autocast = Autocast::as_is, .flops = PerElement{1, 1}, .sizes = Sizes::own,
          .keeps_samples_apart = anywhere};
}
constexpr OpFacts<Pool> facts_of(For<Pool>) {
  return {.word = "pool",
          .name = [](const Pool& op) -> Name {
            return op.kind == PoolKind::max ? "max_pool" : "avg_pool";
          },
          .dimensions = &Pool::kernel, .operands = Operands{1, 1}, .family = Family::pooling,
          .op_class = OpClass::pooling, .issued_as = "pool", .autocast = Autocast::as_is,
          .convention = convention_of_pooling<Pool>, .sizes = Sizes::own,
          .keeps_samples_apart = rows_of_first};
}
constexpr OpFacts<AdaptivePool> facts_of(For<AdaptivePool>) {
  return {.word = "adaptive_pool",
          .name = [](const AdaptivePool& op) -> Name {
            return op.kind == PoolKind::max ? "adaptive_max_pool" : "adaptive_avg_pool";
          },
          .dimensions = &AdaptivePool::output_size, .operands = Operands{1, 1},
          .family = Family::pooling, .op_class = OpClass::pooling, .issued_as = "reduce",
          .autocast = Autocast::as_is, .convention = convention_of_pooling<AdaptivePool>,
          .sizes = Sizes::own, .keeps_samples_apart = rows_of_first};
}
constexpr OpFacts<Reduce> facts_of(For<Reduce>) {
  return {.word = "reduce", .name = [](const Reduce& op) { return facts_of(op.function).name; },
          .operands = Operands{1, 1}, .family = Family::reduction, .op_class = OpClass::pooling,
          .issued_as = "reduce",
          .autocast = [](const Reduce& op) { return facts_of(op.function).autocast; },
          .sizes = Sizes::own, .keeps_samples_apart = anywhere};
}
constexpr OpFacts<CumulativeSum> facts_of(For<CumulativeSum>) {
  return {.word = "cumsum", .operands = Operands{1, 1}, .family = Family::reduction,
          .op_class = OpClass::pooling, .issued_as = "copy", .autocast = Autocast::full,
          .flops = PerElement{1, 1}, .sizes = Sizes::elements, .keeps_samples_apart = off_the_axis};
}
constexpr OpFacts<TopK> facts_of(For<TopK>) {
  return {.word = "topk", .operands = Operands{1, 1}, .results = std::size_t{2},
          .family = Family::reduction, .op_class = OpClass::pooling, .issued_as = "copy",
          .autocast = Autocast::as_is, .sizes = Sizes::elements,
          .keeps_samples_apart = off_the_axis};
}
constexpr OpFacts<Reshape> facts_of(For<Reshape>) {
  return {.word = "reshape", .operands = Operands{1, 1}, .is_view = true,
          .family = Family::movement, .op_class = OpClass::copy, .issued_as = "view",
          .autocast = Autocast::as_is, .flops = no_flops, .sizes = Sizes::own,
          .keeps_samples_apart = anywhere, .holds_extents = true};
}
constexpr OpFacts<Transpose> facts_of(For<Transpose>) {
  return {.word = "transpose", .operands = Operands{1, 1}, .is_view = true,
          .family = Family::movement, .op_class = OpClass::copy, .issued_as = "view",
          .autocast = Autocast::as_is, .flops = no_flops, .sizes = Sizes::own,
          .keeps_samples_apart = anywhere};
}
constexpr OpFacts<Expand> facts_of(For<Expand>) {
  return {.word = "expand", .operands = Operands{1, 1}, .is_view = true, .family = Family::movement,
          .op_class = OpClass::copy, .issued_as = "view", .autocast = Autocast::as_is,
          .flops = no_flops, .sizes = Sizes::elements, .keeps_samples_apart = anywhere,
          .holds_extents = true};
}
constexpr OpFacts<Slice> facts_of(For<Slice>) {
  return {.word = "slice", .operands = Operands{1, 1}, .is_view = true, .family = Family::movement,
          .op_class = OpClass::copy, .issued_as = "slice", .issued_like = "view",
          .autocast = Autocast::as_is,
          .flops = no_flops, .sizes = Sizes::own, .keeps_samples_apart = anywhere,
          .holds_extents = true};
}
constexpr OpFacts<Split> facts_of(For<Split>) {
  return {.word = "split", .operands = Operands{1, 1},
          .results = [](const Split& op) { return op.sizes.size(); }, .is_view = true,
          .family = Family::movement, .op_class = OpClass::copy,
          .issued_as = "slice", .issued_like = "view",
          .autocast = Autocast::as_is, .flops = no_flops, .sizes = Sizes::own,
          .keeps_samples_apart = anywhere};
}
constexpr OpFacts<Concat> facts_of(For<Concat>) {
  return {.word = "concat", .operands = Operands{1, any_number}, .family = Family::movement,
          .op_class = OpClass::copy, .issued_as = "cat", .autocast = Autocast::as_is,
          .flops = no_flops, .sizes = Sizes::own, .keeps_samples_apart = off_the_axis};
}
constexpr OpFacts<Pad> facts_of(For<Pad>) {
  return {.word = "pad", .operands = Operands{1, 1}, .family = Family::movement,
          .op_class = OpClass::copy, .issued_as = "pad", .issued_like = "copy",
          .autocast = Autocast::as_is,
          .flops = no_flops, .sizes = Sizes::elements, .keeps_samples_apart = anywhere};
}
constexpr OpFacts<Gather> facts_of(For<Gather>) {
  return {.word = "gather", .operands = Operands{2, 2}, .family = Family::movement,
          .op_class = OpClass::copy, .issued_as = "index", .issued_like = "copy",
          .autocast = Autocast::as_is,
          .flops = no_flops, .sizes = Sizes::own,
          .keeps_samples_apart = [](const Gather& op, BatchAt at) {
            return at.operand != 0 || off_the_axis(op, at);
          }};
}
constexpr OpFacts<GatherElements> facts_of(For<GatherElements>) {
  return {.word = "gather_elements", .operands = Operands{2, 2}, .family = Family::movement,
          .op_class = OpClass::copy, .issued_as = "index", .issued_like = "copy",
          .autocast = Autocast::as_is,
          .flops = no_flops, .sizes = Sizes::elements,
          .keeps_samples_apart = [](const GatherElements& op, BatchAt at) {
            if (op.form == IndexForm::elements) return off_the_axis(op, at);
            const auto batch_dims = static_cast<std::size_t>(op.batch_dims);
            return at.operand == 0
                       ? at.axis < batch_dims || at.axis >= batch_dims + coordinates(at)
                       : at.axis + 1 < at.rank;
          }};
}
/// FLOPs of combining elements are in cost/movement_cost.cpp.
constexpr OpFacts<Scatter> facts_of(For<Scatter>) {
  return {.word = "scatter", .operands = Operands{3, 3}, .family = Family::movement,
          .op_class = OpClass::copy, .issued_as = "copy", .autocast = Autocast::as_is,
          .sizes = Sizes::elements,
          .keeps_samples_apart = [](const Scatter& op, BatchAt at) {
            if (op.form == IndexForm::elements) return off_the_axis(op, at);
            const std::size_t rows = at.shapes[1]->rank() - 1;
            return at.operand != 1 && at.axis >= (at.operand == 0 ? coordinates(at) : rows);
          }};
}
constexpr OpFacts<Resize> facts_of(For<Resize>) {
  return {.word = "resize", .operands = Operands{1, 1}, .family = Family::movement,
          .op_class = OpClass::copy, .issued_as = "copy", .autocast = Autocast::as_is,
          .sizes = Sizes::elements,
          .keeps_samples_apart = [](const Resize&, BatchAt at) { return at.axis < 2; },
          .holds_extents = true};
}
constexpr OpFacts<GridSample> facts_of(For<GridSample>) {
  return {.word = "grid_sample", .operands = Operands{2, 2}, .family = Family::movement,
          .op_class = OpClass::copy, .issued_as = "copy", .autocast = Autocast::widest,
          .sizes = Sizes::elements,
          .keeps_samples_apart = [](const GridSample&, BatchAt at) { return at.axis == 0; }};
}
constexpr OpFacts<Contiguous> facts_of(For<Contiguous>) {
  return {.word = "contiguous", .operands = Operands{1, 1}, .family = Family::movement,
          .op_class = OpClass::copy, .issued_as = "copy", .autocast = Autocast::as_is,
          .flops = no_flops, .sizes = Sizes::own, .keeps_samples_apart = anywhere};
}
constexpr OpFacts<Roll> facts_of(For<Roll>) {
  return {.word = "roll", .operands = Operands{1, 1}, .family = Family::movement,
          .op_class = OpClass::copy, .issued_as = "roll", .issued_like = "copy",
          .autocast = Autocast::as_is,
          .flops = no_flops, .sizes = Sizes::elements,
          .keeps_samples_apart = [](const Roll& op, BatchAt at) {
            return std::ranges::find(op.axes, static_cast<std::int64_t>(at.axis)) == op.axes.end();
          }};
}
constexpr OpFacts<Triangle> facts_of(For<Triangle>) {
  return {.word = "triangle",
          .name = [](const Triangle& op) -> Name { return op.upper ? "triu" : "tril"; },
          .operands = Operands{1, 1}, .family = Family::movement, .op_class = OpClass::copy,
          .issued_as = "copy", .autocast = Autocast::as_is, .flops = no_flops,
          .sizes = Sizes::elements, .keeps_samples_apart = before_matrices};
}
constexpr OpFacts<Generate> facts_of(For<Generate>) {
  return {.word = "generate", .operands = Operands{0, 0}, .family = Family::movement,
          .op_class = OpClass::copy, .issued_as = "copy", .autocast = Autocast::as_is,
          .flops = no_flops, .sizes = Sizes::elements, .keeps_samples_apart = anywhere,
          .holds_extents = true};
}
constexpr OpFacts<Opaque> facts_of(For<Opaque>) {
  return {.word = "opaque", .name = [](const Opaque& op) -> Name { return op.type; },
          .operands = Operands{0, any_number},
          .results = [](const Opaque& op) { return op.outputs.size(); }, .family = Family::unknown,
          .op_class = [](const Opaque& op) { return op.op_class; }, .issued_as = "copy",
          .autocast = Autocast::as_is, .sizes = Sizes::own, .keeps_samples_apart = anywhere,
          .holds_extents = true};
}
// clang-format on

// ---- use of the facts -----------------------------------------------------------------------

template <class Struct>
inline constexpr OpFacts<Struct> facts = facts_of(For<Struct>{});

/// Calls `rule` with the attributes of an op of one of these families. It compiles only if every op
/// of the families has a rule; ops of other families need none.
template <class Result, Family... families, class Rule>
Result visit_families(const Op& op, Rule&& rule) {
  return std::visit(
      [&rule]<class Struct>(const Struct& attributes) -> Result {
        if constexpr (((facts<Struct>.family == families) || ...)) {
          return rule(attributes);
        } else {
          std::abort();  // our bug: sent to the wrong family
        }
      },
      op);
}

[[nodiscard]] Family family_of(const Op& op);

}  // namespace rooflab::graph
