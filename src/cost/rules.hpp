#pragma once

#include <cstdint>

#include "rooflab/base/quantity.hpp"
#include "rooflab/graph/op_facts.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::cost {

/// Arithmetic of one entry, before bytes are added.
struct Arithmetic {
  Macs macs;         ///< MACs of this entry in any pass
  Macs causal_macs;  ///< equal to macs except for causal attention
  Flops vector_flops;
};

/// Input of a rule: an entry that runs its node's own op.
struct Entry {
  const schedule::Schedule& schedule;
  const schedule::ScheduledOp& op;
  const graph::Node& node;

  [[nodiscard]] bool forward() const { return !schedule::is_gradient(op.pass); }
  [[nodiscard]] const graph::Shape& input(std::size_t index) const {
    return schedule.graph.type(node.inputs[index]).shape;
  }
  [[nodiscard]] const graph::Shape& output() const {
    return schedule.graph.type(node.outputs[0]).shape;
  }
  [[nodiscard]] std::int64_t input_elements() const { return input(0).elements(); }
  [[nodiscard]] std::int64_t output_elements() const { return output().elements(); }
};

// Rules by family, for ops whose row of facts has no figure per element of the result.
[[nodiscard]] Arithmetic matrix_arithmetic(const Entry& entry);
[[nodiscard]] Arithmetic normalisation_arithmetic(const Entry& entry);
/// Arithmetic of pooling, reductions and selections.
[[nodiscard]] Arithmetic pooling_arithmetic(const Entry& entry);
[[nodiscard]] Arithmetic movement_arithmetic(const Entry& entry);

/// Arithmetic of `per_element` vector FLOPs for each of `elements`.
[[nodiscard]] inline Arithmetic vector_work(std::int64_t elements, std::int64_t per_element) {
  Arithmetic work;
  work.vector_flops = Flops(checked_multiply(elements, per_element));
  return work;
}

/// Arithmetic of MACs without causal masking.
[[nodiscard]] inline Arithmetic matrix_work(std::int64_t macs) {
  Arithmetic work;
  work.macs = work.causal_macs = Macs(macs);
  return work;
}

/// Arithmetic by an op's row of facts, else by `rule`. An op of these families with neither does
/// not compile.
template <graph::Family... families, class Rule>
Arithmetic arithmetic_by_row_or(const Rule& rule, const Entry& entry) {
  return graph::visit_families<Arithmetic, families...>(
      entry.node.op, [&]<class Struct>(const Struct& op) {
        if constexpr (graph::facts<Struct>.flops.has_value()) {
          const graph::PerElement flops = graph::facts<Struct>.flops->of(op);
          const std::int64_t per_element = entry.forward() ? flops.forward : flops.backward;
          return per_element == 0 ? Arithmetic{}
                                  : vector_work(entry.output_elements(), per_element);
        } else {
          return rule(op, entry);
        }
      });
}

}  // namespace rooflab::cost
