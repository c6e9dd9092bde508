#include "measure_json.hpp"

#include "counted_section.hpp"
#include "rooflab/base/fields.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/record/record_json.hpp"
#include "rooflab/report/document.hpp"

namespace rooflab::report {
namespace {

using analyze::MeasuredCase;

Json median_or_null(const std::vector<double>& samples) {
  return samples.empty() ? Json() : Json(statistics_of(samples).median);
}

Json time_json(const MeasuredCase& measured) {
  if (!measured.record.timing) return nullptr;
  const record::Timing& timing = *measured.record.timing;
  const auto figure = [&](double Statistics::*member) {
    return measured.steps ? Json((*measured.steps).*member) : Json();
  };
  Json json;
  json["median_s"] = figure(&Statistics::median);
  json["min_s"] = figure(&Statistics::min);
  json["p95_s"] = figure(&Statistics::p95);
  json["cv"] = figure(&Statistics::variation);
  json["median_low_s"] = figure(&Statistics::median_low);
  json["median_high_s"] = figure(&Statistics::median_high);
  json["steps"] = timing.steps_s.size();
  json["setup_s"] = timing.setup_s;
  json["first_call_s"] = timing.first_call_s;
  json["warmup_steps"] = timing.warmup_steps;
  json["stable"] = timing.stable;
  json["clock"] = timing.clock;
  json["data_s"] = median_or_null(timing.data_s);
  json["copy_s"] = median_or_null(timing.copy_s);
  json["issue_s"] = json_or_null(timing.issue_s);
  json["device_s"] = json_or_null(timing.device_s);
  json["with_data_s"] = measured.steps_with_data ? Json(measured.steps_with_data->median) : Json();
  json["host_bound"] = measured.host_bound;
  json["steps_s"] = timing.steps_s;
  return json;
}

Json predicted_memory_json(const MeasuredCase& measured) {
  if (!measured.model) return nullptr;
  const predict::MemoryEstimate& memory = measured.model->memory;
  return {{"allocated_peak_bytes", memory.allocated_peak.value()},
          {"reserved_bytes", memory.reserved.value()},
          {"saved_activations", memory.saved_activations.value()}};
}

Json prediction_json(const MeasuredCase& measured) {
  if (!measured.model || !measured.model->prediction) return nullptr;
  const analyze::CaseResult& model = *measured.model;
  const predict::StepTime& step = *model.prediction;
  return {{"time_s", step.time.value},
          {"low_s", step.low.value},
          {"high_s", step.high.value},
          {"device_s", step.device.value},
          {"host_s", model.issued_by.empty() ? Json() : Json(step.host.value)},
          {"issued_by", model.issued_by.empty() ? Json() : Json(model.issued_by)},
          {"calibration", codec::encode(model.calibration)},
          {"notes", step.notes}};
}

Json measured_memory_json(const MeasuredCase& measured) {
  if (!measured.record.memory) return nullptr;
  Json json = to_json(*measured.record.memory);
  json["allocated_ratio"] = json_or_null(measured.memory_ratio);
  return json;
}

Json samples_json(const MeasuredCase& measured) {
  if (!measured.samples) return nullptr;
  const record::SampleSummary& samples = *measured.samples;
  const auto mean = [](const std::optional<record::SampledFigure>& figure) {
    return figure ? Json(figure->mean) : Json();
  };
  return {{"samples", samples.samples},
          {"duration_s", samples.duration_s},
          {"power_w", mean(samples.power_w)},
          {"core_utilization", mean(samples.core_utilization)},
          {"memory_utilization", mean(samples.memory_utilization)},
          {"memory_used_bytes", mean(samples.memory_used_bytes)},
          {"sm_clock_hz", mean(samples.sm_clock_hz)},
          {"temperature_c", mean(samples.temperature_c)},
          {"resident_bytes", mean(samples.resident_bytes)},
          {"cores_busy", json_or_null(samples.cores_busy)}};
}

Json limit_json(const MeasuredCase& measured) {
  if (!measured.model) return nullptr;
  const analyze::CaseResult& model = *measured.model;
  const predict::NetworkLimit& limit = model.limit;
  Json json;
  json["device"] = model.device.id.empty() ? Json() : Json(model.device.id);
  json["time_s"] = codec::encode(limit.time);
  json["ideal_time_s"] = codec::encode(limit.ideal_time);
  json["bound"] = limit.time ? Json(name_of(limit.bound)) : Json();
  json["ridge_point"] = json_or_null(limit.ridge_point);
  json["arithmetic_path"] = limit.main_path ? Json(name_of(*limit.main_path)) : Json();
  json["ratio"] = json_or_null(measured.ratio);
  json["headroom"] = json_or_null(measured.headroom);
  json["macs"] = limit.macs.value();
  json["flops"] = limit.flops().value();
  json["compulsory_bytes"] = limit.compulsory_bytes.value();
  json["coverage"] = model.count.coverage();
  return json;
}

Json layers_json(const MeasuredCase& measured) {
  if (!measured.record.layers) return nullptr;
  Json list = Json::array();
  for (const analyze::MeasuredLayer& layer : measured.layers.layers) {
    Json json;
    json["name"] = layer.name;
    json["op"] = layer.op;
    json["class"] = name_of(layer.op_class);
    json["forward_s"] = layer.forward_s;
    json["backward_s"] = json_or_null(layer.backward_s);
    json["synchronized_s"] = json_or_null(layer.synchronized_s);
    json["allocated_delta_bytes"] = json_or_null(layer.allocated_delta_bytes);
    json["limit_s"] = codec::encode(layer.limit);
    json["bound"] = layer.limit ? Json(name_of(layer.bound)) : Json();
    json["flops"] = layer.flops ? Json(layer.flops->value()) : Json();
    json["bytes"] = json_or_null(layer.bytes);
    list.push_back(std::move(json));
  }
  return list;
}

Json layer_sum_json(const MeasuredCase& measured) {
  if (!measured.layers.sum) return nullptr;
  const analyze::LayerSum& sum = *measured.layers.sum;
  return {{"sum_s", sum.sum_s},
          {"whole_s", sum.whole_s},
          {"between_s", sum.between_s()},
          {"forward_sum_s", sum.forward_sum_s},
          {"forward_whole_s", json_or_null(sum.forward_whole_s)},
          {"synchronized_sum_s", json_or_null(sum.synchronized_sum_s)},
          {"synchronisation_s", json_or_null(sum.synchronisation_s())},
          {"repetitions", measured.record.layers->repetitions}};
}

Json classes_json(const MeasuredCase& measured) {
  if (!measured.record.layers) return nullptr;
  Json list = Json::array();
  for (const analyze::ClassTime& each : measured.layers.classes) {
    list.push_back({{"class", name_of(each.op_class)},
                    {"layers", each.layers},
                    {"time_s", each.time_s},
                    {"share", each.share},
                    {"limit_s", json_or_null(each.limit_s)},
                    {"limit_share", json_or_null(each.limit_share)}});
  }
  return list;
}

Json case_json(const MeasuredCase& measured) {
  const record::CaseIdentity& identity = measured.record.identity;
  Json json;
  json["model"] = identity.model;
  json["device"] = identity.device;
  json["batch"] = identity.batch;
  json["phase"] = name_of(identity.phase);
  json["precision"] = name_of(identity.precision);
  json["status"] = name_of(measured.record.status);
  json["message"] = measured.record.message;
  json["optimizer"] = identity.optimizer;
  json["variant"] = identity.variant;
  json["rewrite"] = identity.rewrite;
  json["data"] = identity.data;
  json["channels_last"] = identity.channels_last;
  json["time"] = time_json(measured);
  json["samples_per_s"] = json_or_null(measured.samples_per_s);
  json["flops_per_s"] = json_or_null(measured.flops_per_s);
  json["fraction_of_peak"] = json_or_null(measured.fraction_of_peak);
  json["memory"] = measured_memory_json(measured);
  json["predicted_memory"] = predicted_memory_json(measured);
  json["prediction"] = prediction_json(measured);
  json["limit"] = limit_json(measured);
  json["energy_j"] = json_or_null(measured.record.energy_j);
  json["samples"] = samples_json(measured);
  json["op_classes"] = classes_json(measured);
  json["layers"] = layers_json(measured);
  json["layer_sum"] = layer_sum_json(measured);
  json["counters"] = counted_json(measured);
  json["broken_data"] = measured.record.broken_data;
  json["warnings"] = measured.warnings;
  json["notes"] = measured.notes;
  json["command"] = identity.command;
  json["graph"] = identity.graph;
  json["environment"] = to_json(measured.record.environment);
  return json;
}

}  // namespace

Json measure_json(std::span<const MeasuredCase> cases) {
  Json json;
  json["schema_version"] = schema_version;
  json["command"] = "measure";
  json["environment"] = cases.empty() ? Json() : to_json(cases.front().record.environment);
  json["cases"] = Json::array();
  for (const MeasuredCase& measured : cases) json["cases"].push_back(case_json(measured));
  return json;
}

}  // namespace rooflab::report
