// The optimizer's part of a step.
//
//   trace   kernels launched below `Optimizer.step`, and the time in which the device is idle while
//           the host is in it, over the step. Worth: that idle time, which a fused optimizer with
//           its few launches does not have; unknown where the device never waits.
//   predicted, measured   the row `(optimizer)` over the step. Worth: what it takes above its
//           limit, which a fused optimizer comes near to.
//
// Nothing is said of an optimizer that is fused. What is advised leaves it its class: evidence.cpp.
//
// Source: PyTorch, "torch.optim", foreach and fused implementations. When it is wrong: kernels
// whose caller the trace does not have are missing.

#include <cmath>

#include "rules.hpp"

namespace rooflab::findings {

void add_optimizer(const TraceFacts& trace, FindingList& found) {
  if (trace.seen.fused_optimizer) return;
  const trace::StepWork& work = trace.work;
  const double share = trace.step_share(work.optimizer_ns + work.optimizer_wait_ns);
  if (share < row_of(FindingKind::optimizer).least) return;
  const auto worth_s = work.optimizer_wait_ns > 0.0
                           ? std::optional(work.optimizer_wait_ns * seconds_per_ns)
                           : std::nullopt;
  const auto& classes = trace.seen.optimizers;
  found.add(FindingKind::optimizer, {share, std::llround(work.optimizer_launches)}, worth_s,
            classes.size() == 1 ? optimizer_line(classes.front(), trace.seen.foreach_optimizer)
                                : std::string());
}

namespace {

/// PyTorch works on lists of tensors where nobody says otherwise.
std::string line_for(const analyze::CaseResult& result) {
  // Built-in networks are trained by SGD or Adam.
  return optimizer_line(result.recorded ? result.optimizer : std::string("SGD"), true);
}

}  // namespace

void add_optimizer(const NetworkFacts& network, FindingList& found) {
  if (network.result.optimizer.ends_with(analyze::fused_optimizer)) return;
  for (const analyze::LayerRow& row : network.result.layers) {
    if (row.name != "(optimizer)") continue;
    const double share = network.row_s(row) / network.step_s;
    if (share < row_of(FindingKind::optimizer).least) return;
    found.add(
        FindingKind::optimizer, {share},
        row.time ? std::optional(network.take(row, network.above_limit_s(row))) : std::nullopt,
        line_for(network.result));
  }
}

}  // namespace rooflab::findings
