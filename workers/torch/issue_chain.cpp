#include "issue_chain.hpp"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>

#include <algorithm>
#include <chrono>

#include "clock.hpp"
#include "queued_timing.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::torch_worker {
namespace {

using engine::ProbeResult;

}  // namespace

IssueChain::IssueChain(const engine::ProbeItem& item, const graph::Graph& graph,
                       DeviceBackend& backend, OperandPool& pool)
    : graph_(graph),
      gradients_(item.gradients),
      backend_(backend),
      values_(
          pool.values(graph, {.channels_last = item.channels_last, .gradients = item.gradients})),
      executor_(graph, {item.gradients, !item.gradients}, backend.device()) {
  if (graph.nodes.empty()) throw Unsupported{"a chain without an op"};
}

void IssueChain::run(bool counts) {
  const c10::AutoGradMode records(gradients_);
  backend_.synchronize();
  const Clock::time_point start = Clock::now();
  const std::vector<at::Tensor> outputs = executor_.run(values_);
  const double forward_s = seconds_since(start);
  if (counts) forward_s_.push_back(forward_s);
  if (!gradients_) return;
  if (!outputs.front().requires_grad()) throw Unsupported{"gradients of this chain's result"};
  if (!seed_.defined()) seed_ = at::ones_like(outputs.front());
  // As after an optimizer's zero_grad: gradients are written, not added up.
  for (const at::Tensor& value : values_) {
    if (value.defined() && value.requires_grad()) value.mutable_grad().reset();
  }
  backend_.synchronize();
  const Clock::time_point back = Clock::now();
  torch::autograd::backward({outputs.front()}, {seed_});
  backend_.synchronize();
  const double backward_s = seconds_since(back);
  if (counts) backward_s_.push_back(backward_s);
}

ProbeResult IssueChain::result() const {
  const auto nodes = static_cast<double>(graph_.nodes.size());
  const double whole_s = quantile(forward_s_, undisturbed);
  ProbeResult result;
  result.issue_s = whole_s;
  result.forward_s = whole_s / nodes;
  if (gradients_) result.gradients_s = quantile(backward_s_, undisturbed) / nodes;
  const auto [least, most] = std::ranges::minmax(forward_s_);
  if (whole_s > 0.0) result.spread = (most - least) / whole_s;
  return result;
}

double IssueChain::jitter() const {
  const double whole_s = quantile(forward_s_, undisturbed);
  return whole_s > 0.0 ? quantile(forward_s_, 0.5) / whole_s : 1.0;
}

ProbeResult measure_chain(const engine::ProbeItem& item, const graph::Graph& graph,
                          OpBench& bench) {
  constexpr int warm_ups = 3;
  constexpr int runs = 11;
  IssueChain chain(item, graph, bench.backend, bench.pool);
  for (int i = 0; i < warm_ups; ++i) chain.run(false);
  for (int i = 0; i < runs; ++i) chain.run();
  return chain.result();
}

std::unique_ptr<Optimizer> optimizer_of(const engine::ProbeItem& item, const graph::Graph& graph,
                                        OperandPool& pool) {
  const std::vector<at::Tensor> values =
      pool.values(graph, {.channels_last = item.channels_last, .gradients = true});
  std::vector<at::Tensor> parameters;
  for (const at::Tensor& value : values) {
    if (!value.defined() || !value.requires_grad()) continue;
    value.mutable_grad() = pool.like(value);
    parameters.push_back(value);
  }
  if (parameters.empty()) throw Unsupported{"an optimizer without parameters"};
  std::unique_ptr<Optimizer> optimizer = make_optimizer(item.optimizer, parameters);
  if (optimizer == nullptr) throw Unsupported{"an optimizer that does nothing"};
  return optimizer;
}

ProbeResult measure_optimizer(const engine::ProbeItem& item, const graph::Graph& graph,
                              OpBench& bench) {
  const std::unique_ptr<Optimizer> optimizer = optimizer_of(item, graph, bench.pool);
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
