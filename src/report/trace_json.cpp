#include "trace_json.hpp"

#include "rooflab/base/json_fields.hpp"

namespace rooflab::report {
namespace {

using trace::TraceAnalysis;
using trace::TraceJob;
using trace::TracePanes;

template <class T, std::size_t N>
Json roles_json(const std::array<T, N>& role_ns) {
  Json json;
  for (std::size_t i = 0; i < N; ++i) {
    json[std::string(enum_names<trace::StepRole>[i])] = role_ns[i];
  }
  return json;
}

Json steps_json(const TracePanes& panes) {
  Json json;
  json["marked"] = panes.steps.marked;
  json["dropped"] = panes.steps.dropped;
  json["list"] = Json::array();
  for (std::size_t i = 0; i < panes.steps.steps.size(); ++i) {
    const trace::StepWindow& step = panes.steps.steps[i];
    json["list"].push_back({{"name", step.name},
                            {"start_ns", step.window.start_ns},
                            {"end_ns", step.window.end_ns},
                            {"device_work", step.device_work},
                            {"total_ns", panes.breakdown.steps[i].total_ns},
                            {"roles_ns", roles_json(panes.breakdown.steps[i].role_ns)}});
  }
  json["mean_total_ns"] = panes.breakdown.mean.total_ns;
  json["mean_roles_ns"] = roles_json(panes.breakdown.mean.role_ns);
  return json;
}

Json overlap_json(const trace::MeanStepOverlap& mean) {
  return {{"computation_only_ns", mean.computation_only_ns},
          {"overlap_ns", mean.overlap_ns},
          {"communication_only_ns", mean.communication_only_ns},
          {"other_ns", mean.other_ns}};
}

Json device_use_json(const trace::DeviceUse& use) {
  return {{"device", use.device},
          {"name", use.name},
          {"kernels", use.kernels},
          {"utilization", json_or_null(use.utilization)},
          {"sm_efficiency", json_or_null(use.sm_efficiency)},
          {"sm_efficiency_busy", json_or_null(use.sm_efficiency_busy)},
          {"occupancy", json_or_null(use.occupancy)},
          {"tensor_core_share", json_or_null(use.tensor_core_share)}};
}

Json operator_json(const trace::OperatorRow& row) {
  Json json = {{"name", row.name},
               {"calls", row.calls},
               {"host_total_ns", row.host_total_ns},
               {"host_self_ns", row.host_self_ns},
               {"device_total_ns", row.device_total_ns},
               {"device_self_ns", row.device_self_ns},
               {"modelled_flops", json_or_null(row.flops)},
               {"modelled_bytes", json_or_null(row.bytes)},
               {"modelled_flops_per_s", json_or_null(row.flops_per_s())},
               {"modelled_bytes_per_s", json_or_null(row.bytes_per_s())}};
  if (!row.arguments.empty()) json["arguments"] = row.arguments;
  return json;
}

template <class T, class ToJson>
Json list_json(const std::vector<T>& list, ToJson to_json) {
  Json json = Json::array();
  for (const T& each : list) json.push_back(to_json(each));
  return json;
}

Json rule_json(const TracePanes& panes) {
  Json json;
  json["steps"] = steps_json(panes);
  json["overlap"] = overlap_json(panes.overlap.mean);
  json["overlap"]["has_communication"] = panes.overlap.has_communication;
  json["devices"] = list_json(panes.devices, device_use_json);
  json["operators"] = list_json(panes.operators.by_name, operator_json);
  json["operators_by_arguments"] = list_json(panes.operators.by_arguments, operator_json);
  json["unattributed_ns"] = panes.operators.unattributed_ns;
  json["modelled_flops"] = json_or_null(panes.operators.flops);
  json["modelled_flops_device_ns"] = panes.operators.flops_device_ns;
  return json;
}

Json kernel_row_json(const trace::KernelRow& row) {
  return {{"name", row.name},
          {"calls", row.calls},
          {"total_ns", row.total_ns},
          {"mean_ns", row.mean_ns()},
          {"min_ns", row.min_ns},
          {"max_ns", row.max_ns},
          {"share", row.share},
          {"blocks_per_sm", json_or_null(row.blocks_per_sm)},
          {"occupancy", json_or_null(row.occupancy)},
          {"plugin_blocks_per_sm", row.plugin_blocks_per_sm},
          {"plugin_occupancy", row.plugin_occupancy},
          {"plugin_tensor_cores", row.plugin_tensor_cores},
          {"tensor_cores", row.tensor_cores}};
}

Json collective_json(const trace::CollectiveRow& row) {
  return {{"collective", row.collective},
          {"dtype", row.dtype},
          {"group_size", row.group_size},
          {"calls", row.calls},
          {"time_ns", row.time_ns},
          {"bytes", json_or_null(row.bytes)},
          {"bus_bytes", json_or_null(row.bus_bytes)},
          {"bytes_per_s", json_or_null(row.bytes_per_s())},
          {"bus_bytes_per_s", json_or_null(row.bus_bytes_per_s())}};
}

Json memory_curve_json(const trace::MemoryCurve& curve) {
  return {{"device", curve.device},
          {"events", curve.points.size()},
          {"relative", curve.relative},
          {"peak_allocated_bytes", json_or_null(curve.peak_allocated_bytes)},
          {"peak_reserved_bytes", json_or_null(curve.peak_reserved_bytes)}};
}

Json synchronization_json(const std::optional<trace::Synchronization>& synchronization) {
  if (!synchronization) return nullptr;
  Json json = {{"transfer_ns", synchronization->transfer_ns},
               {"wait_ns", synchronization->wait_ns}};
  json["collectives"] = list_json(synchronization->ops, [](const trace::CollectiveOpRow& op) {
    return Json{{"name", op.name},
                {"calls", op.calls},
                {"bytes", op.bytes},
                {"latency_ns", op.latency_ns},
                {"transfer_ns", op.transfer_ns}};
  });
  return json;
}

Json rank_row_json(const trace::RankRow& rank) {
  return {{"rank", rank.rank},
          {"import", rank.record},
          {"steps", rank.steps},
          {"step_ns", rank.step_ns},
          {"plugin_overlap", overlap_json(rank.plugin_overlap)},
          {"overlap", overlap_json(rank.overlap)},
          {"utilization", json_or_null(rank.utilization)},
          {"plugin_synchronization", synchronization_json(rank.plugin_synchronization)},
          {"matched_collectives", rank.matched_collectives},
          {"collective_ns", rank.collective_ns},
          {"wait_ns", rank.wait_ns}};
}

}  // namespace

Json panes_json(const TraceAnalysis& analysis) {
  Json json;
  json["plugin"] = rule_json(analysis.plugin);
  json["ours"] = rule_json(analysis.ours);
  json["kernels"] = {
      {"total_ns", analysis.kernels.total_ns},
      {"plugin_tensor_core_share", json_or_null(analysis.kernels.plugin_tensor_core_share)},
      {"tensor_core_share", json_or_null(analysis.kernels.tensor_core_share)},
      {"list", list_json(analysis.kernels.rows, kernel_row_json)}};
  json["collectives"] = list_json(analysis.collectives, collective_json);
  json["memory"] = list_json(analysis.memory, memory_curve_json);
  json["has_shapes"] = analysis.has_shapes;
  return json;
}

Json job_json(const TraceJob& job) {
  Json json;
  json["ranks"] = list_json(job.ranks, rank_row_json);
  json["no_plugin_synchronization"] = job.no_plugin_synchronization;
  json["unmatched_collectives"] = job.unmatched_collectives;
  json["load_imbalance"] = json_or_null(job.load_imbalance);
  return json;
}

}  // namespace rooflab::report
