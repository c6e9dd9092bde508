#include "rooflab/base/json_fields.hpp"
#include "rooflab/engine/probe.hpp"

namespace rooflab::engine {
namespace {

std::map<std::string, double> numbers(const JsonFields& fields, std::string_view key) {
  std::map<std::string, double> result;
  const JsonFields inner = fields.object(key);
  for (const auto& [name, value] : fields.value(key).items()) {
    result[name] = inner.number(name);
  }
  return result;
}

}  // namespace

device::HostCosts host_costs_from_json(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  device::HostCosts costs;
  costs.issuer = fields.text("issuer");
  costs.version = fields.text("version");
  costs.cpu = fields.text("cpu");
  const JsonFields ops = fields.object("ops");
  for (const auto& [name, value] : fields.value("ops").items()) {
    const JsonFields op = ops.object(name);
    device::HostCost& cost = costs.ops[name];
    cost.inference_s = op.optional_number("inference_s").value_or(0.0);
    cost.forward_s = op.optional_number("forward_s");
    cost.backward_s = op.optional_number("backward_s");
  }
  costs.optimizer_fixed_s = numbers(fields, "optimizer_fixed_s");
  costs.optimizer_per_tensor_s = numbers(fields, "optimizer_per_tensor_s");
  costs.loss_s = fields.number("loss_s");
  costs.step_s = fields.number("step_s");
  costs.jitter = fields.optional_number("jitter").value_or(1.0);
  return costs;
}

}  // namespace rooflab::engine
