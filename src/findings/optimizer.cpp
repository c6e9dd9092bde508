// The optimizer's part of a step.
//
//   trace   kernels launched below `Optimizer.step`, and the time in which the device is idle while
//           the host is in it, over the step. Worth: that idle time, which a fused optimizer with
//           its few launches does not have; unknown where the device never waits.
//   predicted, measured   the row `(optimizer)` over the step. Worth: what it takes above its
//           limit, which a fused optimizer comes near to.
//
// Source: PyTorch, "torch.optim", foreach and fused implementations. When it is wrong: kernels
// whose caller the trace does not have are missing.

#include <cmath>

#include "rules.hpp"

namespace rooflab::findings {

void add_optimizer(const TraceFacts& trace, FindingList& found) {
  const trace::StepWork& work = trace.work;
  const double share = trace.step_share(work.optimizer_ns + work.optimizer_wait_ns);
  if (share < row_of(FindingKind::optimizer).least) return;
  const auto worth_s = work.optimizer_wait_ns > 0.0
                           ? std::optional(work.optimizer_wait_ns * seconds_per_ns)
                           : std::nullopt;
  found.add(FindingKind::optimizer, {share, std::llround(work.optimizer_launches)}, worth_s);
}

void add_optimizer(const NetworkFacts& network, FindingList& found) {
  for (const analyze::LayerRow& row : network.result.layers) {
    if (row.name != "(optimizer)") continue;
    const double share = network.row_s(row) / network.step_s;
    if (share < row_of(FindingKind::optimizer).least) return;
    found.add(FindingKind::optimizer, {share},
              row.time ? std::optional(network.above_limit_s(row)) : std::nullopt);
  }
}

}  // namespace rooflab::findings
