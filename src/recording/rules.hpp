#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "lowerer.hpp"

namespace rooflab::recording {

/// The rule of one op, by its name without `aten.` and without the `_` of an op in place. `#` in a
/// name means 1, 2 or 3: `avg_pool#d`.
struct NamedRule {
  std::string_view name;
  Rule rule;
};

// The rules, by family.
[[nodiscard]] std::span<const NamedRule> matrix_rules();
[[nodiscard]] std::span<const NamedRule> attention_rules();
[[nodiscard]] std::span<const NamedRule> recurrent_rules();
[[nodiscard]] std::span<const NamedRule> normalisation_rules();
[[nodiscard]] std::span<const NamedRule> elementwise_rules();
[[nodiscard]] std::span<const NamedRule> reduction_rules();
[[nodiscard]] std::span<const NamedRule> movement_rules();
[[nodiscard]] std::span<const NamedRule> indexing_rules();
[[nodiscard]] std::span<const NamedRule> creation_rules();
[[nodiscard]] std::span<const NamedRule> optimizer_rules();
[[nodiscard]] std::span<const NamedRule> collective_rules();
/// Rules for ops whose work is a row of figures (plain_rows.cpp).
[[nodiscard]] std::span<const NamedRule> plain_rules();

/// Whether the op overwrites arguments that its schema does not mark as written.
[[nodiscard]] bool writes_unsaid(std::string_view name);

/// Whether every result is a view of an argument's memory, and the op writes nothing.
[[nodiscard]] bool is_view(const OpView& view);
bool lower_view(const OpView& view);

/// Lowers an op as the reduction `name`: max over an axis as `amax`.
bool lower_reduction(const OpView& view, std::string_view name);

// ---- common functions of rules ----------------------------------------------------------------

/// The present tensors, in order.
[[nodiscard]] std::vector<STensor> present(std::initializer_list<STensor> tensors);
/// Values of the tensors.
[[nodiscard]] std::vector<graph::ValueId> values_of_tensors(Lowerer& lowerer,
                                                            const std::vector<STensor>& tensors);
/// Value of the parameter where the tensor is all of it, else of the tensor itself.
[[nodiscard]] graph::ValueId weight_value(Lowerer& lowerer, STensor tensor);

/// Adds an entry that runs the op of a new node.
void emit_node(const OpView& view, graph::Op op, std::vector<graph::ValueId> inputs,
               std::vector<STensor> reads, std::vector<STensor> writes, Pass pass);

/// Node of the forward pass whose gradient an op in the backward pass computes, by equal module, op
/// and result; else a new node.
[[nodiscard]] graph::NodeId gradient_node(const OpView& view, graph::Op op,
                                          std::vector<graph::ValueId> inputs,
                                          graph::ValueId result);

/// Makes an op outside the closed set from its name and the types of its results; its work is not
/// known.
[[nodiscard]] graph::Opaque opaque_of(Lowerer& lowerer, std::string_view name,
                                      const std::vector<STensor>& results);

/// Adds an entry with known work: FLOPs of the whole op, and `like`, a kind that moves bytes in the
/// same way.
schedule::ScheduledOp& emit_known(const OpView& view, std::string_view name, std::int64_t flops,
                                  std::string_view like, graph::OpClass op_class,
                                  std::vector<STensor> reads, std::vector<STensor> writes);

/// FLOPs of all elements, with `flops` each. Throws Error (range) beyond 64 bits.
[[nodiscard]] std::int64_t flops_of_each(double flops, std::int64_t elements);

/// An axis counted from the front.
[[nodiscard]] std::int64_t axis_of(std::int64_t axis, const graph::Shape& shape);

}  // namespace rooflab::recording
