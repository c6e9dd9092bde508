#pragma once

#include <initializer_list>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "lowerer.hpp"

namespace rooflab::recording {

/// The rule of one op, by its name without `aten.` and without the `_` of an op in place. `#` in a
/// name stands for 1, 2 and 3: `avg_pool#d`.
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
/// Ops whose work a row of figures says (plain_rows.cpp).
[[nodiscard]] std::span<const NamedRule> plain_rules();

/// The op overwrites arguments of which its schema does not say so.
[[nodiscard]] bool writes_unsaid(std::string_view name);

/// Every result is a view of an argument's memory, and the op writes nothing.
[[nodiscard]] bool is_view(const OpView& view);
bool lower_view(const OpView& view);

/// A reduction that another op is: `amax` of max over an axis.
bool lower_reduction(const OpView& view, std::string_view name);

// ---- pieces that rules share ----------------------------------------------------------------

/// Tensors that are there, in order.
[[nodiscard]] std::vector<STensor> present(std::initializer_list<STensor> tensors);
/// Their values.
[[nodiscard]] std::vector<graph::ValueId> values_of_tensors(Lowerer& lowerer,
                                                            const std::vector<STensor>& tensors);
/// The parameter's value where the tensor is the whole of it, else the tensor's own.
[[nodiscard]] graph::ValueId weight_value(Lowerer& lowerer, STensor tensor);

/// An entry that does the op of a node made for it: reads, then writes.
void emit_node(const OpView& view, graph::Op op, std::vector<graph::ValueId> inputs,
               std::vector<STensor> reads, std::vector<STensor> writes, Pass pass);

/// The node of the forward pass that an op in the backward pass is the gradient of: of the same
/// module, op and result; else a new one.
[[nodiscard]] graph::NodeId gradient_node(const OpView& view, graph::Op op,
                                          std::vector<graph::ValueId> inputs,
                                          graph::ValueId result);

/// An op outside the closed set, by its name and the types of its results; its work is not known.
[[nodiscard]] graph::Opaque opaque_of(Lowerer& lowerer, std::string_view name,
                                      const std::vector<STensor>& results);

/// An entry with work that this lowering knows: FLOPs of the whole op, a kind that moves bytes as
/// it does.
schedule::ScheduledOp& emit_known(const OpView& view, std::string_view name, std::int64_t flops,
                                  std::string_view like, graph::OpClass op_class,
                                  std::vector<STensor> reads, std::vector<STensor> writes);

/// FLOPs of as many elements. Throws Error (range) beyond 64 bits.
[[nodiscard]] std::int64_t flops_of_each(double flops, std::int64_t elements);

/// An axis counted from the front.
[[nodiscard]] std::int64_t axis_of(std::int64_t axis, const graph::Shape& shape);

}  // namespace rooflab::recording
