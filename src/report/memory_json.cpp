#include "memory_json.hpp"

#include "rooflab/base/json_fields.hpp"

namespace rooflab::report {

Json memory_json(const predict::MemoryEstimate& memory) {
  Json json;
  json["parameters"] = memory.parameters.value();
  json["buffers"] = memory.buffers.value();
  json["gradients"] = memory.gradients.value();
  json["optimizer"] = memory.optimizer.value();
  json["input"] = memory.input.value();
  json["saved_activations"] = memory.saved_activations.value();
  json["peak_activations"] = memory.peak_activations.value();
  json["workspace"] = json_or_null(memory.workspace);
  json["allocated_peak_bytes"] = memory.allocated_peak.value();
  json["reserved_bytes"] = memory.reserved.value();
  json["context"] = json_or_null(memory.context);
  json["total_bytes"] = memory.total.value();
  json["most_total_bytes"] = memory.most_total.value();
  json["unknown"] = memory.unknown;
  return json;
}

}  // namespace rooflab::report
