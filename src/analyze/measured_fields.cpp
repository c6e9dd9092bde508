#include "rooflab/analyze/measured_case.hpp"
#include "rooflab/base/field_table.hpp"
#include "rooflab/base/schema.hpp"

namespace rooflab::analyze {
namespace {

using record::LayerTimes;
using record::Record;

/// An object of figures of the same row; null where the row has no `part`.
template <auto part, std::span<const Field> (*fields)()>
Json object_of(const MeasuredCase& measured) {
  return measured.*part ? fields_json(&measured, fields()) : Json();
}

template <double Statistics::*figure>
std::optional<double> of_steps(const MeasuredCase& measured) {
  return measured.steps ? std::optional((*measured.steps).*figure) : std::nullopt;
}

template <std::vector<double> record::Timing::*times>
std::optional<double> median_of(const MeasuredCase& measured) {
  const std::vector<double>& values = (*measured.record.timing).*times;
  return values.empty() ? std::nullopt : std::optional(statistics_of(values).median);
}

/// The record's own figures, then what follows from them.
Json timing_json(const MeasuredCase& measured) {
  if (!measured.record.timing) return nullptr;
  Json json = to_json(*measured.record.timing);
  json.update(fields_json(&measured, timing_fields()));
  return json;
}
void read_timing(MeasuredCase& measured, const JsonValue& from) {
  codec::decode(measured.record.timing, from);
}

Json prediction_json(const MeasuredCase& measured) {
  if (!measured.model || !measured.model->prediction) return nullptr;
  return fields_json(&*measured.model, expected_time_fields());
}

// Of a record's layers the nodes stand in `layers`, beside the model's figures; the sums apart.
Json layers_json(const MeasuredCase& measured) {
  return measured.record.layers ? codec::encode(measured.layers.layers) : Json();
}
Json classes_json(const MeasuredCase& measured) {
  return measured.record.layers ? codec::encode(measured.layers.classes) : Json();
}
Json layer_sum_json(const MeasuredCase& measured) {
  if (!measured.record.layers) return nullptr;
  return fields_json(&*measured.record.layers, record::layer_sum_fields());
}
LayerTimes& layers_in(MeasuredCase& measured) {
  std::optional<LayerTimes>& layers = measured.record.layers;
  return layers ? *layers : layers.emplace();
}
void read_layers(MeasuredCase& measured, const JsonValue& from) {
  codec::decode(layers_in(measured).nodes, from);
}
void read_layer_sum(MeasuredCase& measured, const JsonValue& from) {
  read_fields(&layers_in(measured), record::layer_sum_fields(), from.object());
}

/// The file's warnings hold those of the record.
void read_warnings(MeasuredCase& measured, const JsonValue& from) {
  codec::decode(measured.record.warnings, from);
}

}  // namespace

std::span<const Field> fields_of(For<CalibrationUse>) {
  static constexpr Field fields[] = {
      field<&CalibrationUse::id>("id"),
      field<&CalibrationUse::device>("device"),
      field<&CalibrationUse::relation>("relation"),
  };
  return fields;
}

std::span<const Field> fields_of(For<MeasuredLayer>) {
  static constexpr Field fields[] = {
      part<&MeasuredLayer::timing>(),
      field<&MeasuredLayer::op_class>("op_class"),
      field<&MeasuredLayer::time_share>("time_share"),
      field<&MeasuredLayer::limit>("limit_s"),
      field<&MeasuredLayer::limit_ratio>("limit_ratio"),
      derived("bound",
              [](const MeasuredLayer& layer) {
                return layer.limit ? std::optional(layer.bound) : std::nullopt;
              }),
      field<&MeasuredLayer::flops>("flop"),
      field<&MeasuredLayer::bytes>("compulsory_bytes"),
  };
  return fields;
}

std::span<const Field> fields_of(For<ClassTime>) {
  static constexpr Field fields[] = {
      field<&ClassTime::op_class>("op_class"), field<&ClassTime::layers>("layer_count"),
      field<&ClassTime::time_s>("time_s"),     field<&ClassTime::time_share>("time_share"),
      field<&ClassTime::limit_s>("limit_s"),   field<&ClassTime::limit_share>("limit_share"),
  };
  return fields;
}

std::span<const Field> timing_fields() {
  static constexpr Field fields[] = {
      field<&MeasuredCase::median_s>("median_s"),
      field<&of_steps<&Statistics::min>>("min_s"),
      field<&of_steps<&Statistics::p95>>("p95_s"),
      field<&of_steps<&Statistics::variation>>("variation"),
      field<&of_steps<&Statistics::median_low>>("median_low_s"),
      field<&of_steps<&Statistics::median_high>>("median_high_s"),
      field<&MeasuredCase::median_spread_share>("median_spread_share"),
      derived("timed_steps",
              [](const MeasuredCase& each) { return each.record.timing->steps_s.size(); }),
      field<&median_of<&record::Timing::data_s>>("median_data_s"),
      field<&median_of<&record::Timing::copy_s>>("median_copy_s"),
      field<&MeasuredCase::with_data_s>("with_data_s"),
      field<&MeasuredCase::host_bound>("host_bound"),
  };
  return fields;
}

std::span<const Field> expected_memory_fields() {
  static constexpr Field fields[] = {
      derived("predicted_peak_bytes",
              [](const MeasuredCase& each) { return each.model->memory.allocated_peak; }),
      derived("predicted_reserved_bytes",
              [](const MeasuredCase& each) { return each.model->memory.reserved; }),
      derived("predicted_saved_bytes",
              [](const MeasuredCase& each) { return each.model->memory.saved_activations; }),
      field<&MeasuredCase::peak_ratio>("peak_ratio"),
  };
  return fields;
}

std::span<const Field> expected_time_fields() {
  static constexpr Field fields[] = {
      derived("predicted_s", [](const CaseResult& result) { return result.prediction->time; }),
      derived("predicted_low_s", [](const CaseResult& result) { return result.prediction->low; }),
      derived("predicted_high_s", [](const CaseResult& result) { return result.prediction->high; }),
      derived("predicted_device_s",
              [](const CaseResult& result) { return result.prediction->device; }),
      derived("predicted_host_s",
              [](const CaseResult& result) {
                return result.issued_by.empty() ? std::nullopt
                                                : std::optional(result.prediction->host);
              }),
      derived("issued_by",
              [](const CaseResult& result) {
                return result.issued_by.empty() ? std::nullopt : std::optional(result.issued_by);
              }),
      field<&CaseResult::calibration>("calibration"),
      derived("notes", [](const CaseResult& result) { return result.prediction->notes; }),
  };
  return fields;
}

std::span<const Field> limit_fields() {
  static constexpr Field fields[] = {
      derived("device",
              [](const MeasuredCase& each) {
                const std::string& id = each.model->device.id;
                return id.empty() ? std::nullopt : std::optional(id);
              }),
      field<&MeasuredCase::limit_s>("limit_s"),
      derived("ideal_s", [](const MeasuredCase& each) { return each.model->limit.ideal_time; }),
      derived("bound",
              [](const MeasuredCase& each) {
                return each.limit_s() ? std::optional(each.model->limit.bound) : std::nullopt;
              }),
      derived("ridge_point_flop_per_byte",
              [](const MeasuredCase& each) { return each.model->limit.ridge_point; }),
      derived("arithmetic_path",
              [](const MeasuredCase& each) { return each.model->limit.main_path; }),
      field<&MeasuredCase::limit_ratio>("limit_ratio"),
      field<&MeasuredCase::headroom_share>("headroom_share"),
      derived("macs", [](const MeasuredCase& each) { return each.model->limit.macs; }),
      derived("flop", [](const MeasuredCase& each) { return each.model->limit.flops(); }),
      derived("compulsory_bytes",
              [](const MeasuredCase& each) { return each.model->limit.compulsory_bytes; }),
      derived("coverage_share",
              [](const MeasuredCase& each) { return each.model->count.coverage(); }),
  };
  return fields;
}

std::span<const Field> fields_of(For<MeasuredCase>) {
  static constexpr Field fields[] = {
      part<Within{&MeasuredCase::record, &Record::identity}>(),
      field<Within{&MeasuredCase::record, &Record::status}>("status"),
      field<Within{&MeasuredCase::record, &Record::message}>("message"),
      field<&timing_json, &read_timing>("timing"),
      field<&MeasuredCase::samples_per_s>("samples_per_s"),
      field<&MeasuredCase::flop_per_s>("flop_per_s"),
      field<&MeasuredCase::peak_share>("peak_share"),
      field<Within{&MeasuredCase::record, &Record::memory}>("memory"),
      field<&object_of<&MeasuredCase::model, expected_memory_fields>>("predicted_memory"),
      field<&prediction_json>("prediction"),
      field<&object_of<&MeasuredCase::model, limit_fields>>("limit"),
      field<Within{&MeasuredCase::record, &Record::energy_j}>("step_energy_j"),
      derived("sample_summary", [](const MeasuredCase& each) { return each.samples; }),
      field<&classes_json>("op_classes"),
      field<&layers_json, &read_layers>("layers"),
      field<&layer_sum_json, &read_layer_sum>("layer_sum"),
      field<Within{&MeasuredCase::record, &Record::broken_data}>("broken_data"),
      field<&MeasuredCase::warnings, &read_warnings>("warnings"),
      derived("notes", [](const MeasuredCase& each) { return each.notes; }),
      field<Within{&MeasuredCase::record, &Record::environment}>("environment"),
  };
  return fields;
}

}  // namespace rooflab::analyze
