#pragma once

#include <cstdint>
#include <optional>

#include "rooflab/base/quantity.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::cost {

/// Arithmetic of one entry, before bytes are added.
struct Arithmetic {
  Macs macs;         ///< of this entry, whatever its pass
  Macs causal_macs;  ///< equal to macs but for causal attention
  Flops vector_flops;
};

/// What a rule sees: an entry that does its node's own op.
struct Entry {
  const schedule::Schedule& schedule;
  const schedule::ScheduledOp& op;
  const graph::Node& node;

  [[nodiscard]] bool forward() const { return op.pass == schedule::Pass::forward; }
  [[nodiscard]] const graph::Shape& input(std::size_t index) const {
    return schedule.graph.type(node.inputs[index]).shape;
  }
  [[nodiscard]] const graph::Shape& output() const {
    return schedule.graph.type(node.outputs[0]).shape;
  }
  [[nodiscard]] std::int64_t input_elements() const { return input(0).elements(); }
  [[nodiscard]] std::int64_t output_elements() const { return output().elements(); }
};

// Rules by family; nullopt: the op is not of that family.
[[nodiscard]] std::optional<Arithmetic> matrix_arithmetic(const Entry& entry);
[[nodiscard]] std::optional<Arithmetic> normalisation_arithmetic(const Entry& entry);
[[nodiscard]] std::optional<Arithmetic> elementwise_arithmetic(const Entry& entry);
[[nodiscard]] std::optional<Arithmetic> pooling_arithmetic(const Entry& entry);
[[nodiscard]] std::optional<Arithmetic> movement_arithmetic(const Entry& entry);

/// `per_element` vector FLOPs for each of `elements`.
[[nodiscard]] inline Arithmetic vector_work(std::int64_t elements, std::int64_t per_element) {
  Arithmetic work;
  work.vector_flops = Flops(checked_multiply(elements, per_element));
  return work;
}

/// MACs without causal masking.
[[nodiscard]] inline Arithmetic matrix_work(std::int64_t macs) {
  Arithmetic work;
  work.macs = work.causal_macs = Macs(macs);
  return work;
}

}  // namespace rooflab::cost
