#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "base/format.hpp"
#include "rooflab/cost/cost.hpp"
#include "rooflab/graph/graph_builder.hpp"
#include "rooflab/schedule/schedule.hpp"

namespace rooflab::cost {

/// Cost of the first entry called `conv2d`, `data_gradient conv2d`, ... of a lowered network.
inline Cost entry_cost(const schedule::Schedule& schedule, std::string_view line) {
  for (const schedule::ScheduledOp& op : schedule.ops) {
    const std::string name = schedule.name_of(op);
    const bool forward = op.pass == schedule::Pass::forward;
    if ((forward ? name : format("{} {}", name_of(op.pass), name)) != line) continue;
    const std::optional<Cost> cost = cost_of(schedule, op);
    if (!cost) throw std::runtime_error(format("no rule for {}", line));
    return *cost;
  }
  throw std::runtime_error(format("no entry {}", line));
}

inline schedule::Schedule inference_of(graph::GraphBuilder b, graph::ValueId output) {
  return schedule::lower(std::move(b).finish({output}), {});
}

inline schedule::Schedule training_of(graph::GraphBuilder b, graph::ValueId output) {
  return schedule::lower(std::move(b).finish({output}), {.phase = Phase::training});
}

}  // namespace rooflab::cost
