#include <algorithm>

#include "rooflab/analyze/result_file.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/format.hpp"
#include "rooflab/base/json_fields.hpp"

namespace rooflab::analyze {
namespace {

using predict::Bound;
using predict::Verdict;

/// The value of that name; nullopt where the key is null.
template <Named E>
std::optional<E> named(const JsonFields& fields, std::string_view key) {
  if (!fields.has(key)) return std::nullopt;
  const std::optional<E> value = from_name<E>(fields.text(key));
  if (!value) fields.fail(key, "is unknown");
  return value;
}

std::optional<Seconds> optional_seconds(const JsonFields& fields, std::string_view key) {
  const std::optional<double> number = fields.optional_number(key);
  return number ? std::optional(Seconds{*number}) : std::nullopt;
}

Flops optional_flops(const JsonFields& fields, std::string_view key) {
  return Flops(fields.optional_integer(key).value_or(0));
}

predict::NetworkLimit read_limit(const JsonFields& fields) {
  predict::NetworkLimit limit;
  limit.time = optional_seconds(fields, "limit_time_s");
  limit.ideal_time = optional_seconds(fields, "ideal_time_s");
  limit.ideal_bytes = Bytes(fields.integer("ideal_bytes"));
  limit.compulsory_bytes = Bytes(fields.integer("compulsory_bytes"));
  limit.macs = Macs(fields.integer("macs"));
  limit.matrix_flops = Flops(fields.integer("matrix_flops"));
  limit.vector_flops = Flops(fields.integer("vector_flops"));
  const JsonFields by_path = fields.object("flops_by_path");
  for (const ArithmeticPath path : values_of<ArithmeticPath>) {
    if (by_path.has(name_of(path))) {
      limit.flops_by_path[path] = Flops(by_path.integer(name_of(path)));
    }
  }
  limit.main_path = named<ArithmeticPath>(fields, "arithmetic_path");
  limit.ridge_point = fields.optional_number("ridge_point");
  limit.bound = named<Bound>(fields, "bound").value_or(Bound::none);
  return limit;
}

predict::MemoryEstimate read_memory(const JsonFields& fields) {
  predict::MemoryEstimate memory;
  memory.parameters = Bytes(fields.integer("parameters"));
  memory.buffers = Bytes(fields.integer("buffers"));
  memory.gradients = Bytes(fields.integer("gradients"));
  memory.optimizer = Bytes(fields.integer("optimizer"));
  memory.input = Bytes(fields.integer("input"));
  memory.saved_activations = Bytes(fields.integer("saved_activations"));
  memory.peak_activations = Bytes(fields.integer("peak_activations"));
  memory.workspace = fields.optional_bytes("workspace");
  memory.allocated_peak = Bytes(fields.integer("allocated_peak_bytes"));
  memory.reserved = Bytes(fields.integer("reserved_bytes"));
  memory.context = fields.optional_bytes("context");
  memory.total = Bytes(fields.integer("total_bytes"));
  memory.most_total = fields.optional_bytes("most_total_bytes").value_or(memory.total);
  memory.unknown = fields.texts("unknown");
  return memory;
}

LayerRow read_layer(const JsonFields& fields) {
  LayerRow layer;
  layer.name = fields.text("name");
  layer.op = fields.text("op");
  if (fields.has("output_shape")) {
    std::vector<std::int64_t> dims;
    for (const Json& dim : fields.value("output_shape")) {
      if (!dim.is_number_integer()) fields.fail("output_shape", "must be a list of whole numbers");
      dims.push_back(dim.get<std::int64_t>());
    }
    layer.output_shape = graph::Shape(dims);
  }
  layer.parameters = fields.integer("parameters");
  layer.counted = fields.has("macs");
  layer.macs = Macs(fields.optional_integer("macs").value_or(0));
  layer.matrix_flops = optional_flops(fields, "matrix_flops");
  layer.vector_flops = optional_flops(fields, "vector_flops");
  layer.data_gradient_flops = optional_flops(fields, "data_gradient_flops");
  layer.weight_gradient_flops = optional_flops(fields, "weight_gradient_flops");
  layer.bytes = Bytes(fields.optional_integer("bytes").value_or(0));
  layer.time = optional_seconds(fields, "time_s");
  layer.bound = named<Bound>(fields, "bound").value_or(Bound::none);
  return layer;
}

predict::KindShare read_kind(const JsonFields& fields) {
  predict::KindShare kind;
  kind.kind = fields.text("kind");
  kind.count = static_cast<std::size_t>(fields.integer("ops"));
  kind.time_s = fields.number("time_s");
  kind.deviation = fields.number("deviation");
  kind.device = fields.optional_text("device").value_or("");
  kind.origin = fields.optional_text("origin").value_or("");
  kind.source =
      named<predict::TimeSource>(fields, "source").value_or(predict::TimeSource::roofline);
  return kind;
}

/// Files of before there were predictions have none of these keys.
void read_prediction(const JsonFields& fields, CaseResult& result) {
  result.prediction_model =
      named<PredictionModel>(fields, "prediction_model").value_or(PredictionModel::limit);
  result.percent_time = optional_seconds(fields, "ppp_time_s");
  if (const auto percent = fields.optional_object("ppp")) {
    result.percent = {percent->number("compute"), percent->number("memory")};
  }
  const auto explain = fields.optional_object("explain");
  const auto calibration = fields.optional_object("calibration");
  if (!explain || !calibration) return;
  result.calibration =
      CalibrationUse{calibration->text("id"), calibration->text("device"),
                     named<Relation>(*calibration, "relation").value_or(Relation::relative)};
  result.issued_by = fields.optional_text("issued_by").value_or("");
  predict::StepTime& step = result.prediction.emplace();
  step.time = Seconds{fields.number("predicted_time_s")};
  step.low = Seconds{fields.number("low_s")};
  step.high = Seconds{fields.number("high_s")};
  step.device = Seconds{explain->number("device_s")};
  step.host = Seconds{explain->optional_number("host_s").value_or(0.0)};
  step.host_bound = fields.flag("host_bound");
  for (const JsonFields& kind : explain->objects("kinds")) step.kinds.push_back(read_kind(kind));
  step.notes = explain->texts("notes");
  for (const JsonFields& layer : fields.objects("layers")) {
    result.predicted_layers.push_back(optional_seconds(layer, "predicted_time_s"));
  }
}

/// The catalog's, or one that has no figures.
device::Device read_device(const JsonFields& fields, const device::Catalog& catalog,
                           std::vector<std::string>& notes) {
  const std::string id = fields.text("device");
  const std::vector<std::string> known = catalog.ids();
  if (std::ranges::find(known, id) != known.end()) return catalog.find(id);
  notes.push_back(format("no roofs: no device file describes '{}' here (--devices-dir)", id));
  device::Device device;
  device.id = id;
  device.name = id;
  return device;
}

CaseResult read_case(const JsonFields& fields, const device::Catalog& catalog) {
  CaseResult result;
  result.model = fields.text("model");
  result.batch = fields.integer("batch");
  const std::optional<Phase> phase = named<Phase>(fields, "phase");
  if (!phase) fields.fail("phase", "is missing");
  result.phase = *phase;
  const std::optional<Precision> precision = from_name<Precision>(fields.text("precision"));
  if (!precision) fields.fail("precision", "is unknown");
  result.precision = *precision;
  result.notes = fields.texts("notes");
  result.device = read_device(fields, catalog, result.notes);
  result.count.parameters = fields.integer("parameters");
  result.count.counted_nodes = fields.integer("counted_nodes");
  result.count.computing_nodes = fields.integer("computing_nodes");
  for (const JsonFields& op : fields.objects("uncounted")) {
    result.count.uncounted.push_back({op.text("op"), op.integer("count")});
  }
  result.limit = read_limit(fields);
  result.memory = read_memory(fields.object("memory"));
  if (const auto verdict = named<Verdict>(fields, "verdict")) {
    result.fit = predict::Fit{*verdict, fields.number("margin")};
  }
  for (const JsonFields& layer : fields.objects("layers")) {
    result.layers.push_back(read_layer(layer));
  }
  read_prediction(fields, result);
  result.command = fields.text("command_line");
  return result;
}

}  // namespace

std::vector<CaseResult> predictions_from_json(const Json& json, const std::string& file,
                                              const device::Catalog& catalog) {
  const JsonFields fields(json, file);
  std::vector<CaseResult> cases;
  for (const JsonFields& each : fields.objects("cases")) {
    cases.push_back(read_case(each, catalog));
  }
  return cases;
}

}  // namespace rooflab::analyze
