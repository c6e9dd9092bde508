#include "describe/field_table.hpp"
#include "rooflab/analyze/measured_case.hpp"

namespace rooflab::analyze {
namespace {

using record::LayerTimes;
using record::Record;

/// The fields of a part of the case, then what follows from it.
template <class Part>
Json with_more(const std::optional<Part>& part, const void* row, std::span<const Field> more) {
  if (!part) return nullptr;
  Json json = to_json(*part);
  json.update(fields_json(row, more));
  return json;
}

template <std::vector<double> record::Timing::*times>
std::optional<double> median(const MeasuredCase& measured) {
  return median_of((*measured.record.timing).*times);
}

Json timing_json(const MeasuredCase& measured) {
  return with_more(measured.record.timing, &measured, timing_fields());
}

template <Bytes predict::MemoryEstimate::*figure>
Bytes expected(const MeasuredCase& measured) {
  return measured.model->memory.*figure;
}
Json expected_memory_json(const MeasuredCase& measured) {
  return measured.model ? fields_json(&measured, expected_memory_fields()) : Json();
}

std::optional<std::string> known(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}
std::optional<std::string> limit_device(const MeasuredCase& measured) {
  return known(measured.model->device.id);
}
std::int64_t parameters(const MeasuredCase& measured) { return measured.model->count.parameters; }
Bytes parameter_bytes(const MeasuredCase& measured) {
  return measured.model->count.parameter_bytes;
}
Bytes input_bytes(const MeasuredCase& measured) { return measured.model->count.input_bytes; }
double coverage(const MeasuredCase& measured) { return measured.model->count.coverage(); }
Json limit_json(const MeasuredCase& measured) {
  if (!measured.model) return nullptr;
  return with_more(std::optional(measured.model->limit), &measured, limit_fields());
}

std::optional<std::string> issued_by(const CaseResult& model) { return known(model.issued_by); }
Json prediction_json(const MeasuredCase& measured) {
  if (!measured.model) return nullptr;
  return with_more(measured.model->prediction, &*measured.model, issue_fields());
}

std::optional<predict::Bound> bound(const MeasuredLayer& layer) {
  const bool bounds = layer.limit && layer.bound != predict::Bound::none;
  return bounds ? std::optional(layer.bound) : std::nullopt;
}

// The nodes of a record's layers are in `layers`, next to the model's figures; not their sums.
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

/// What follows from the record, and is worked out anew.
void skip(MeasuredCase& /*measured*/, const JsonValue& /*from*/) {}

}  // namespace

std::span<const Field> fields_of(For<CalibrationUse>) {
  static constexpr auto fields =
      field_table(members<&CalibrationUse::id, &CalibrationUse::device>,
                  field<&CalibrationUse::date>().sparse(), members<&CalibrationUse::relation>);
  return fields;
}

std::span<const Field> fields_of(For<MeasuredLayer>) {
  static constexpr auto fields = field_table(
      part<&MeasuredLayer::timing>(), members<&MeasuredLayer::op_class, &MeasuredLayer::time_share>,
      field<&MeasuredLayer::limit>("limit_s"), field<&MeasuredLayer::limit_ratio>(),
      field<&bound>("bound"), field<&MeasuredLayer::flops>("flop"),
      field<&MeasuredLayer::bytes>("compulsory_bytes"));
  return fields;
}

std::span<const Field> fields_of(For<ClassTime>) {
  static constexpr auto fields =
      field_table(field<&ClassTime::op_class>(), field<&ClassTime::layers>("layer_count"),
                  members<&ClassTime::time_s, &ClassTime::time_share, &ClassTime::limit_s,
                          &ClassTime::limit_share>);
  return fields;
}

std::span<const Field> timing_fields() {
  static constexpr auto fields =
      field_table(field<&MeasuredCase::median_s>(),
                  field<IfThere{&MeasuredCase::steps, &Statistics::min}>("min_s"),
                  field<IfThere{&MeasuredCase::steps, &Statistics::p95}>("p95_s"),
                  field<IfThere{&MeasuredCase::steps, &Statistics::variation}>("variation"),
                  field<IfThere{&MeasuredCase::steps, &Statistics::median_low}>("median_low_s"),
                  field<IfThere{&MeasuredCase::steps, &Statistics::median_high}>("median_high_s"),
                  field<&MeasuredCase::median_spread_share>(),
                  field<IfThere{&MeasuredCase::steps, &Statistics::count}>("timed_steps"),
                  field<&median<&record::Timing::data_s>>("median_data_s"),
                  field<&median<&record::Timing::copy_s>>("median_copy_s"),
                  members<&MeasuredCase::with_data_s, &MeasuredCase::host_bound>);
  return fields;
}

std::span<const Field> expected_memory_fields() {
  using predict::MemoryEstimate;
  static constexpr Field fields[] = {
      field<&expected<&MemoryEstimate::allocated_peak>>("predicted_peak_bytes"),
      field<&expected<&MemoryEstimate::reserved>>("predicted_reserved_bytes"),
      field<&expected<&MemoryEstimate::saved_activations>>("predicted_saved_bytes"),
      field<&MeasuredCase::peak_ratio>("peak_ratio")};
  return fields;
}

std::span<const Field> limit_fields() {
  static constexpr auto fields =
      field_table(field<&limit_device>("device"),
                  members<&MeasuredCase::limit_ratio, &MeasuredCase::headroom_share>,
                  field<&coverage>("coverage_share"), field<&parameters>("parameters"),
                  field<&parameter_bytes>("parameter_bytes"), field<&input_bytes>("input_bytes"));
  return fields;
}

std::span<const Field> issue_fields() {
  static constexpr Field fields[] = {field<&issued_by>("issued_by"),
                                     field<&CaseResult::calibration>("calibration")};
  return fields;
}

std::span<const Field> fields_of(For<MeasuredCase>) {
  static constexpr auto fields = field_table(
      part<Within{&MeasuredCase::record, &Record::identity}>(),
      field<Within{&MeasuredCase::record, &Record::status}>("status"),
      field<Within{&MeasuredCase::record, &Record::message}>("message"),
      field<&timing_json, Within{&MeasuredCase::record, &Record::timing}>("timing"),
      members<&MeasuredCase::samples_per_s, &MeasuredCase::flop_per_s, &MeasuredCase::peak_share>,
      field<Within{&MeasuredCase::record, &Record::memory}>("memory"),
      field<&expected_memory_json>("predicted_memory"), field<&prediction_json>("prediction"),
      field<&limit_json>("limit"),
      field<Within{&MeasuredCase::record, &Record::energy_j}>("step_energy_j"),
      field<&MeasuredCase::samples, &skip>("sample_summary"), field<&classes_json>("op_classes"),
      field<&layers_json, &read_layers>("layers"),
      field<&layer_sum_json, &read_layer_sum>("layer_sum"),
      field<Within{&MeasuredCase::record, &Record::issue_costs}>("issue_costs").sparse(),
      field<&MeasuredCase::counted>("counters"),
      field<Within{&MeasuredCase::record, &Record::broken_data}>("broken_data"),
      field<&MeasuredCase::warnings, Within{&MeasuredCase::record, &Record::warnings}>("warnings"),
      field<&MeasuredCase::notes, &skip>("notes"),
      field<Within{&MeasuredCase::record, &Record::environment}>("environment"));
  return fields;
}

}  // namespace rooflab::analyze
