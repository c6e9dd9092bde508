#include "rooflab/analyze/network_summary.hpp"

#include "rooflab/predict/memory_model.hpp"

namespace rooflab::analyze {

NetworkSummary summarize_network(const schedule::Schedule& schedule, std::string model,
                                 std::optional<int> depth, std::vector<Note> notes) {
  const predict::NetworkLimit costs = predict::limit_of(schedule, device::Device{});
  return {.model = std::move(model),
          .batch = schedule.graph.batch(),
          .phase = schedule.phase,
          .precision = schedule.precision,
          .totals = {.work = costs,
                     .count = count_network(schedule),
                     .saved = predict::estimate_memory(schedule).saved_activations},
          .notes = std::move(notes),
          .layers = layer_table(schedule, costs, depth)};
}

}  // namespace rooflab::analyze
