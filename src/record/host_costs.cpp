#include "rooflab/record/host_costs.hpp"

#include <utility>
#include <vector>

#include "describe/field_table.hpp"
#include "rooflab/base/statistics.hpp"

namespace rooflab::record {

std::optional<double> slowness(const HostCosts& here, const HostCosts& there) {
  std::vector<double> ratios;
  const auto add = [&ratios](const std::optional<double>& a, const std::optional<double>& b) {
    if (a && b && *a > 0.0 && *b > 0.0) ratios.push_back(*a / *b);
  };
  for (const auto& [name, cost] : here.ops) {
    const auto other = there.ops.find(name);
    if (other == there.ops.end()) continue;
    add(cost.inference_s, other->second.inference_s);
    add(cost.forward_s, other->second.forward_s);
    add(cost.backward_s, other->second.backward_s);
  }
  return median_of(ratios);
}

namespace {

HostCosts scaled(HostCosts costs, double factor) {
  const auto scale = [factor](std::optional<double>& seconds) {
    if (seconds) *seconds *= factor;
  };
  for (auto* const ops : {&costs.ops, &costs.autocast}) {
    for (auto& [name, cost] : *ops) {
      cost.inference_s *= factor;
      scale(cost.forward_s);
      scale(cost.backward_s);
    }
  }
  for (auto& [optimizer, seconds] : costs.optimizer_fixed_s) seconds *= factor;
  for (auto& [optimizer, seconds] : costs.optimizer_per_tensor_s) seconds *= factor;
  costs.loss_s *= factor;
  costs.step_s *= factor;
  scale(costs.module_call_s);
  return costs;
}

}  // namespace

HostCosts completed(HostCosts here, const HostCosts& there) {
  const std::optional<double> ratio = slowness(here, there);
  if (!ratio) return here;
  const HostCosts carried = scaled(there, *ratio);
  here.ops.insert(carried.ops.begin(), carried.ops.end());
  here.autocast.insert(carried.autocast.begin(), carried.autocast.end());
  here.optimizer_fixed_s.insert(carried.optimizer_fixed_s.begin(), carried.optimizer_fixed_s.end());
  here.optimizer_per_tensor_s.insert(carried.optimizer_per_tensor_s.begin(),
                                     carried.optimizer_per_tensor_s.end());
  return here;
}

HostCosts as_met(HostCosts costs) {
  const double jitter = costs.jitter;
  return scaled(std::move(costs), jitter);
}

std::span<const Field> fields_of(For<HostCost>) {
  static constexpr auto fields =
      field_table(field<&HostCost::inference_s>("inference_s").or_default(),
                  field<&HostCost::forward_s>().says("Of issuing it."),
                  field<&HostCost::backward_s>().says("Of issuing it."));
  return fields;
}

std::span<const Field> fields_of(For<HostCosts>) {
  static constexpr auto fields = field_table(
      members<&HostCosts::issuer, &HostCosts::version, &HostCosts::cpu, &HostCosts::ops,
              &HostCosts::optimizer_fixed_s, &HostCosts::optimizer_per_tensor_s,
              &HostCosts::loss_s>,
      field<&HostCosts::step_s>().says("To issue what is not an op."),
      field<&HostCosts::module_call_s>(), field<&HostCosts::autocast>("autocast").or_default(),
      field<&HostCosts::jitter>("jitter").or_default());
  return fields;
}

}  // namespace rooflab::record
