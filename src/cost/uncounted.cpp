// What a schedule's ops without a rule could change of an answer.

#include "rooflab/cost/cost.hpp"

namespace rooflab::cost {
namespace {

constexpr std::int64_t negligible = 100;  ///< a hundredth of the bytes

Bytes known_bytes(const schedule::Schedule& schedule, const schedule::ScheduledOp& op) {
  Bytes bytes;
  for (const auto* list : {&op.reads, &op.writes}) {
    for (const schedule::TensorId id : *list) bytes += schedule.tensor(id).distinct_bytes();
  }
  return bytes;
}

/// nullptr for an op that has a rule, or whose importer knows its work.
const graph::Opaque* without_rule(const schedule::Schedule& schedule,
                                  const schedule::ScheduledOp& op) {
  if (op.node < 0 || !std::holds_alternative<schedule::NodeWork>(op.work)) return nullptr;
  const graph::Node& node = schedule.graph.nodes[static_cast<std::size_t>(op.node)];
  const auto* opaque = std::get_if<graph::Opaque>(&node.op);
  return opaque == nullptr || opaque->flops ? nullptr : opaque;
}

}  // namespace

Uncounted uncounted_of(const schedule::Schedule& schedule) {
  Uncounted result;
  for (const schedule::ScheduledOp& op : schedule.ops) {
    const graph::Opaque* const opaque = without_rule(schedule, op);
    if (opaque == nullptr) continue;
    result.bytes += known_bytes(schedule, op);
    result.bounded = result.bounded && opaque->bounded;
  }
  return result;
}

bool is_counted(const schedule::Schedule& schedule) {
  const Uncounted uncounted = uncounted_of(schedule);
  if (!uncounted.bounded) return false;
  Bytes all;
  for (const schedule::ScheduledOp& op : schedule.ops) {
    if (!std::holds_alternative<schedule::ViewWork>(op.work)) all += known_bytes(schedule, op);
  }
  return uncounted.bytes.value() <= all.value() / negligible;
}

}  // namespace rooflab::cost
