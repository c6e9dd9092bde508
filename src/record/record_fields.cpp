#include "record_rows.hpp"
#include "rooflab/base/field_table.hpp"
#include "rooflab/base/schema.hpp"
#include "rooflab/record/counter_metric.hpp"
#include "rooflab/record/kernel_json.hpp"
#include "rooflab/record/record.hpp"
#include "rooflab/record/trace_json.hpp"

namespace rooflab::record {
namespace {

bool has_tensor_cores(const Record& record) {
  return may_have_tensor_cores(record.environment.device.compute_capability);
}

/// What a step's sum of FLOPs is known from depends on the device, which the record has.
Json counting_json(const Record& record) {
  if (!record.counting) return nullptr;
  Json json = to_json(*record.counting);
  const std::optional<KernelTable>& step = record.counting->step;
  json[step_key.key()] =
      step && !step->empty() ? kernel_json(*step, 0, has_tensor_cores(record)) : Json();
  return json;
}

void read_counting(Record& record, const JsonValue& from) {
  const JsonFields fields = from.object();
  record.counting = from_json<Counting>(fields);
  if (const auto step = fields.optional_object(step_key.key())) {
    record.counting->step = kernels_from_json({*step});
  }
}

Json kernels_json(const Record& record) {
  if (!record.kernels) return nullptr;
  Json json = Json::array();
  for (std::size_t row = 0; row < record.kernels->size(); ++row) {
    json.push_back(kernel_json(*record.kernels, row, has_tensor_cores(record)));
  }
  return json;
}

void read_kernels(Record& record, const JsonValue& from) {
  std::vector<JsonFields> rows;
  from.for_each_element([&rows](const JsonValue& row) { rows.push_back(row.object()); });
  record.kernels = kernels_from_json(rows);
}

Json trace_json(const Record& record) { return record.trace ? to_json(*record.trace) : Json(); }

void read_trace(Record& record, const JsonValue& from) {
  record.trace = trace_from_json(from.object());
}

}  // namespace

std::span<const Field> fields_of(For<CaseIdentity>) {
  static constexpr Field fields[] = {
      field<&CaseIdentity::model>("model"),
      field<&CaseIdentity::device>("device"),
      field<&CaseIdentity::batch>("batch"),
      field<&CaseIdentity::phase>("phase"),
      field<&CaseIdentity::precision>("precision"),
      field<&CaseIdentity::optimizer>("optimizer"),
      field<&CaseIdentity::variant>("variant"),
      field<&CaseIdentity::rewrite>("rewrite"),
      field<&CaseIdentity::data>("data"),
      field<&CaseIdentity::channels_last>("channels_last"),
      field<&CaseIdentity::command>("command_line"),
      field<&CaseIdentity::graph>("graph"),
  };
  return fields;
}

std::span<const Field> fields_of(For<Timing>) {
  static constexpr Field fields[] = {
      field<&Timing::steps_s>("steps_s"),
      field<&Timing::setup_s>("setup_s"),
      field<&Timing::first_call_s>("first_call_s"),
      field<&Timing::warmup_steps>("warmup_steps"),
      field<&Timing::stable>("stable"),
      field<&Timing::clock>("clock"),
      field<&Timing::data_s>("data_s").or_default(),
      field<&Timing::copy_s>("copy_s").or_default(),
      field<&Timing::issue_s>("issue_s"),
      field<&Timing::device_s>("device_s"),
  };
  return fields;
}

std::span<const Field> fields_of(For<PhaseMemory>) {
  static constexpr Field fields[] = {
      field<&PhaseMemory::phase>("phase"),
      field<&PhaseMemory::before>("before_bytes"),
      field<&PhaseMemory::peak>("peak_bytes"),
      field<&PhaseMemory::after>("after_bytes"),
  };
  return fields;
}

std::span<const Field> fields_of(For<MemoryUse>) {
  static constexpr Field fields[] = {
      field<&MemoryUse::allocated_peak>("allocated_peak_bytes"),
      field<&MemoryUse::reserved_peak>("reserved_peak_bytes"),
      field<&MemoryUse::device_used>("device_used_bytes"),
      field<&MemoryUse::context>("context_bytes"),
      field<&MemoryUse::saved>("saved_activation_bytes"),
      field<&MemoryUse::persistent>("persistent_bytes"),
      field<&MemoryUse::resident_peak>("resident_peak_bytes"),
      field<&MemoryUse::phases>("phases"),
  };
  return fields;
}

std::span<const Field> fields_of(For<NodeTiming>) {
  static constexpr Field fields[] = {
      field<&NodeTiming::node>("node"),
      field<&NodeTiming::op>("op"),
      field<&NodeTiming::forward_s>("forward_s"),
      field<&NodeTiming::backward_s>("backward_s"),
      field<&NodeTiming::synchronized_s>("synchronized_s"),
      field<&NodeTiming::allocated_delta_bytes>("allocated_delta_bytes"),
  };
  return fields;
}

std::span<const Field> fields_of(For<LayerTimes>) {
  static constexpr Field fields[] = {
      field<&LayerTimes::repetitions>("repetitions"),
      field<&LayerTimes::sum_s>("sum_s"),
      field<&LayerTimes::whole_s>("whole_s"),
      field<&LayerTimes::synchronized_sum_s>("synchronized_sum_s"),
      field<&LayerTimes::forward_whole_s>("forward_whole_s"),
      field<&LayerTimes::between_s>("between_s"),
      field<&LayerTimes::forward_sum_s>("forward_sum_s"),
      field<&LayerTimes::synchronization_s>("synchronization_s"),
      field<&LayerTimes::waits>("waits"),
      field<&LayerTimes::nodes>("nodes"),
  };
  return fields;
}

std::span<const Field> layer_sum_fields() {
  const std::span<const Field> all = fields_of(For<LayerTimes>{});
  return all.first(all.size() - 1);
}

// Launches and ranges, of which a file may have millions, come last: write_json() writes them row
// by row.
std::span<const Field> fields_of(For<Record>) {
  static constexpr Field fields[] = {
      field<&Record::identity>("identity"),
      field<&Record::status>("status"),
      field<&Record::message>("message"),
      field<&Record::environment>("environment"),
      field<&Record::timing>("timing"),
      field<&Record::memory>("memory"),
      field<&Record::energy_j>("step_energy_j"),
      field<&Record::layers>("layers"),
      field<&Record::samples>("sample_series"),
      field<&Record::lost>("lost").or_default(),
      field<&Record::broken_data>("broken_data"),
      field<&Record::warnings>("warnings"),
      field<&counting_json, &read_counting>("counting").sparse(),
      field<&kernels_json, &read_kernels>("kernels").sparse(),
      field<&trace_json, &read_trace>("trace").sparse(),
  };
  return fields;
}

std::span<const Field> head_fields() {
  constexpr std::size_t lists_of_rows = 2;
  const std::span<const Field> all = fields_of(For<Record>{});
  return all.first(all.size() - lists_of_rows);
}

FileKind file_kind_of(For<Record>) {
  return {"record", "record",
          "records are what `rooflab measure -o DIR` and `rooflab monitor -o FILE.json` write"};
}

}  // namespace rooflab::record
