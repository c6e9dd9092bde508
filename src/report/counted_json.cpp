#include "counted_section.hpp"
#include "rooflab/base/fields.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/record/kernel_json.hpp"
#include "rooflab/record/record_json.hpp"

namespace rooflab::report {
namespace {

using analyze::CountedLayer;

Json flops_json(const std::optional<Flops>& flops) {
  return flops ? Json(flops->value()) : Json(nullptr);
}

void put_counted(Json& json, const record::KernelSums& sums) {
  record::put_sums(json, sums);
  json["with_flops"] = sums.count(record::KernelFigure::flops);
  json["with_dram_bytes"] = sums.count(record::KernelFigure::dram_bytes);
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
  put_counted(json, layer.sums);
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
  Json json = to_json(*measured.record.counting);
  put_counted(json["totals"], counted.totals);
  json["step"] = nullptr;
  if (counted.step) put_counted(json["step"], *counted.step);
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
