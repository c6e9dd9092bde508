#include "layer_json.hpp"

namespace rooflab::report {

Json layer_json(const analyze::LayerRow& layer) {
  Json json;
  json["name"] = layer.name;
  json["op"] = layer.op;
  json["output_shape"] = layer.output_shape ? Json(layer.output_shape->dims()) : Json();
  json["parameters"] = layer.parameters;
  // An op without a rule has no figures: null, never zero.
  const auto figure = [&layer](std::int64_t value) { return layer.counted ? Json(value) : Json(); };
  json["macs"] = figure(layer.macs.value());
  json["matrix_flops"] = figure(layer.matrix_flops.value());
  json["vector_flops"] = figure(layer.vector_flops.value());
  json["bytes"] = figure(layer.bytes.value());
  json["intensity"] = layer.counted ? Json(layer.intensity()) : Json();
  return json;
}

Json uncounted_json(const analyze::NetworkCount& count) {
  Json list = Json::array();
  for (const analyze::UncountedOp& op : count.uncounted) {
    list.push_back({{"op", op.op}, {"count", op.count}});
  }
  return list;
}

Json seconds_json(const std::optional<Seconds>& time) { return time ? Json(time->value) : Json(); }

}  // namespace rooflab::report
