#include "issue_chain.hpp"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <chrono>

#include "clock.hpp"
#include "executor.hpp"
#include "optimizer.hpp"
#include "queued_timing.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::torch_worker {
namespace {

using engine::ProbeResult;
}  // namespace

ProbeResult measure_chain(const engine::ProbeItem& item, const graph::Graph& graph,
                          OpBench& bench) {
  DeviceBackend& backend = bench.backend;
  constexpr int warm_ups = 3;
  constexpr int runs = 11;
  if (graph.nodes.empty()) throw Unsupported{"a chain without an op"};
  const c10::AutoGradMode records(item.gradients);
  const std::vector<at::Tensor> values =
      bench.pool.values(graph, {.channels_last = item.channels_last, .gradients = item.gradients});
  Executor executor(graph, {item.gradients, !item.gradients}, backend.device());
  std::vector<double> forward;
  std::vector<double> backward;
  at::Tensor seed;
  for (int i = 0; i < warm_ups + runs; ++i) {
    backend.synchronize();
    const Clock::time_point start = Clock::now();
    const std::vector<at::Tensor> outputs = executor.run(values);
    const double forward_s = seconds_since(start);
    if (i >= warm_ups) forward.push_back(forward_s);
    if (!item.gradients) continue;
    if (!outputs.front().requires_grad()) throw Unsupported{"gradients of this chain's result"};
    if (!seed.defined()) seed = at::ones_like(outputs.front());
    // As after an optimizer's zero_grad: gradients are written, not added up.
    for (const at::Tensor& value : values) {
      if (value.defined() && value.requires_grad()) value.mutable_grad().reset();
    }
    backend.synchronize();
    const Clock::time_point back = Clock::now();
    torch::autograd::backward({outputs.front()}, {seed});
    backend.synchronize();
    if (i >= warm_ups) backward.push_back(seconds_since(back));
  }
  const auto nodes = static_cast<double>(graph.nodes.size());
  // Whatever else the machine does can only add.
  constexpr double undisturbed = 0.1;
  const double whole_s = quantile(forward, undisturbed);
  ProbeResult result;
  result.issue_s = whole_s;
  result.forward_s = whole_s / nodes;
  if (item.gradients) result.gradients_s = quantile(backward, undisturbed) / nodes;
  const auto [least, most] = std::ranges::minmax(forward);
  if (whole_s > 0.0) result.spread = (most - least) / whole_s;
  return result;
}

ProbeResult measure_optimizer(const engine::ProbeItem& item, const graph::Graph& graph,
                              OpBench& bench) {
  const std::vector<at::Tensor> values =
      bench.pool.values(graph, {.channels_last = item.channels_last, .gradients = true});
  std::vector<at::Tensor> parameters;
  for (const at::Tensor& value : values) {
    if (!value.defined() || !value.requires_grad()) continue;
    value.mutable_grad() = bench.pool.like(value);
    parameters.push_back(value);
  }
  if (parameters.empty()) throw Unsupported{"an optimizer without parameters"};
  const std::unique_ptr<Optimizer> optimizer = make_optimizer(item.optimizer, parameters);
  TimedCall step{.call = [&optimizer] { optimizer->step(); },
                 .before = [&bench] { bench.caches.prepare({}); }};
  time_calls(bench.backend, bench.mark_s, {&step, 1});
  ProbeResult result;
  result.optimizer_s = step.device_median_s();
  result.issue_s = step.host_median_s();
  result.spread = step.spread();
  if (step.unsteady) result.message = "unsteady";
  return result;
}

}  // namespace rooflab::torch_worker
