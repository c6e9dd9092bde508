#include "rooflab/record/host_costs.hpp"

#include <vector>

#include "base/field_table.hpp"
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

HostCosts completed(HostCosts here, const HostCosts& there) {
  const std::optional<double> ratio = slowness(here, there);
  if (!ratio) return here;
  const auto carried = [&ratio](const std::optional<double>& seconds) {
    return seconds ? std::optional(*seconds * *ratio) : std::nullopt;
  };
  for (const auto& [name, cost] : there.ops) {
    here.ops.emplace(name, HostCost{cost.inference_s * *ratio, carried(cost.forward_s),
                                    carried(cost.backward_s)});
  }
  const auto complete = [&ratio](std::map<std::string, double>& known,
                                 const std::map<std::string, double>& others) {
    for (const auto& [name, seconds] : others) known.emplace(name, seconds * *ratio);
  };
  complete(here.optimizer_fixed_s, there.optimizer_fixed_s);
  complete(here.optimizer_per_tensor_s, there.optimizer_per_tensor_s);
  return here;
}

HostCosts as_met(HostCosts costs) {
  const double factor = costs.jitter;
  const auto slow = [factor](std::optional<double>& seconds) {
    if (seconds) *seconds *= factor;
  };
  for (auto& [name, cost] : costs.ops) {
    cost.inference_s *= factor;
    slow(cost.forward_s);
    slow(cost.backward_s);
  }
  for (auto& [optimizer, seconds] : costs.optimizer_fixed_s) seconds *= factor;
  for (auto& [optimizer, seconds] : costs.optimizer_per_tensor_s) seconds *= factor;
  costs.loss_s *= factor;
  costs.step_s *= factor;
  slow(costs.module_call_s);
  return costs;
}

std::span<const Field> fields_of(For<HostCost>) {
  static constexpr auto fields =
      field_table(field<&HostCost::inference_s>("inference_s").or_default(),
                  members<&HostCost::forward_s, &HostCost::backward_s>);
  return fields;
}

std::span<const Field> fields_of(For<HostCosts>) {
  static constexpr auto fields =
      field_table(members<&HostCosts::issuer, &HostCosts::version, &HostCosts::cpu, &HostCosts::ops,
                          &HostCosts::optimizer_fixed_s, &HostCosts::optimizer_per_tensor_s,
                          &HostCosts::loss_s, &HostCosts::step_s, &HostCosts::module_call_s>,
                  field<&HostCosts::jitter>("jitter").or_default());
  return fields;
}

}  // namespace rooflab::record
