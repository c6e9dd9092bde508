#include "counted_section.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/record/record_json.hpp"

namespace rooflab::report {
namespace {

using analyze::CountedLayer;
using analyze::CountedSums;

Json flops_json(const std::optional<Flops>& flops) {
  return flops ? Json(flops->value()) : Json(nullptr);
}

void put_sums(Json& json, const CountedSums& sums) {
  json["kernels"] = sums.kernels;
  json["with_flops"] = sums.with_flops;
  json["with_dram_bytes"] = sums.with_dram;
  json["time_s"] = json_or_null(sums.time_s);
  json["fp64_flops"] = count_or_null(sums.fp64_flops);
  json["fp32_flops"] = count_or_null(sums.fp32_flops);
  json["fp16_flops"] = count_or_null(sums.fp16_flops);
  json["fp16_move_flops"] = count_json(sums.moves);
  json["tensor_flops"] = count_or_null(sums.tensor_flops);
  json["tensor_by_type"] = Json::object();
  for (const auto& [figure, flops] : sums.tensor_by_type) {
    json["tensor_by_type"][std::string(name_of(figure))] = count_json(flops);
  }
  json["flops"] = count_or_null(sums.flops);
  json["dram_bytes"] = count_or_null(sums.dram_bytes);
  json["l2_bytes"] = count_or_null(sums.l2_bytes);
  json["intensity"] = json_or_null(sums.intensity());
  json["flops_per_s"] = json_or_null(sums.flops_per_s());
  json["bytes_per_s"] = json_or_null(sums.bytes_per_s());
  json["occupancy"] = json_or_null(sums.occupancy);
  json["sm_busy"] = json_or_null(sums.sm_busy);
  json["sm_clock_hz"] = json_or_null(sums.sm_clock_hz);
}

Json gap_json(const std::optional<analyze::Gap>& gap) {
  if (!gap) return nullptr;
  return {{"cause", name_of(gap->cause)}, {"text", gap->text}};
}

Json counted_layer_json(const CountedLayer& layer) {
  Json json;
  json["name"] = layer.name;
  json["op"] = layer.op;
  json["class"] = name_of(layer.op_class);
  put_sums(json, layer);
  json["time_share"] = layer.time_share;
  json["model_matrix_flops"] = flops_json(layer.model_matrix_flops);
  json["model_vector_flops"] = flops_json(layer.model_vector_flops);
  json["model_bytes"] = json_or_null(layer.model_bytes);
  json["flops_ratio"] = json_or_null(layer.flops_ratio());
  json["bytes_ratio"] = json_or_null(layer.bytes_ratio());
  json["flops_gap"] = gap_json(layer.flops_gap);
  json["bytes_gap"] = gap_json(layer.bytes_gap);
  json["above_roofs"] = Json::array();
  for (const analyze::RoofBreach& breach : layer.breaches) {
    json["above_roofs"].push_back({{"modelled", breach.modelled},
                                   {"roof", breach.roof},
                                   {"rate", breach.rate},
                                   {"peak", breach.peak},
                                   {"text", breach.text}});
  }
  json["remark"] = layer.remark;
  return json;
}

}  // namespace

Json counted_json(const analyze::MeasuredCase& measured) {
  if (!measured.counted) return nullptr;
  const analyze::CountedLayers& counted = *measured.counted;
  Json json = record::to_json(*measured.record.counting);
  put_sums(json["totals"], counted.totals);
  json["step"] = nullptr;
  if (counted.step) {
    json["step"] = Json::object();
    put_sums(json["step"], *counted.step);
  }
  json["model_matrix_flops"] = flops_json(counted.model_matrix_flops);
  json["model_vector_flops"] = flops_json(counted.model_vector_flops);
  json["model_bytes"] = json_or_null(counted.model_bytes);
  json["layers"] = Json::array();
  for (const CountedLayer& layer : counted.layers)
    json["layers"].push_back(counted_layer_json(layer));
  json["kernels_without_node"] = counted.without_node;
  json["nodes_without_kernel"] = counted.without_kernels;
  json["notes"] = counted_notes(measured);
  return json;
}

}  // namespace rooflab::report
