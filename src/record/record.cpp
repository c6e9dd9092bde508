#include "rooflab/record/record.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "counter_metric.hpp"
#include "describe/field_table.hpp"
#include "describe/schema.hpp"
#include "record_json.hpp"
#include "record_rows.hpp"
#include "rooflab/base/statistics.hpp"
#include "told_json.hpp"

namespace rooflab::record {

std::optional<double> Timing::median_s() const {
  return steps_s.empty() ? std::nullopt : std::optional(quantile(steps_s, 0.5));
}

double LayerTimes::forward_sum_s() const {
  double sum = 0.0;
  for (const NodeTiming& node : nodes) sum += node.forward_s;
  return sum;
}

std::optional<double> LayerTimes::synchronization_s() const {
  if (!synchronized_sum_s || !forward_whole_s) return std::nullopt;
  return *synchronized_sum_s - *forward_whole_s;
}

std::int64_t LayerTimes::waits() const {
  return std::ranges::count_if(
      nodes, [](const NodeTiming& node) { return node.synchronized_s.has_value(); });
}

void CaseIdentity::forget() {
  batch.forget();
  phase.forget();
  precision.forget();
  data.forget();
  channels_last.forget();
}

std::string CaseIdentity::other_worker() const {
  return worker && *worker != usual_worker ? *worker : std::string();
}

std::string title_of(const CaseIdentity& identity) {
  std::string title =
      format("{} on {}, batch {}, {}, {}", identity.model, identity.device, identity.batch.value(),
             name_of(identity.phase), name_of(identity.precision));
  for (const std::string& more : {identity.variant, identity.rewrite}) {
    if (!more.empty()) title += format(", {}", more);
  }
  if (identity.channels_last) title += ", channels last";
  if (const std::string worker = identity.other_worker(); !worker.empty()) {
    title += format(", {}", worker);
  }
  return title;
}

bool may_have_tensor_work(const Record& record) {
  return !record.tensor_work_ruled_out &&
         may_have_tensor_cores(record.environment.device.compute_capability);
}

namespace {

/// What a step's sum of FLOPs is known from depends on the device, which the record has.
Json counting_json(const Record& record) {
  if (!record.counting) return nullptr;
  Json json = to_json(*record.counting);
  const std::optional<KernelTable>& step = record.counting->step;
  json[step_key.key()] =
      step && !step->empty() ? kernel_json(*step, 0, may_have_tensor_work(record)) : Json();
  return json;
}

Json counting_schema() {
  Json schema = json_schema(fields_of(For<Counting>{}));
  schema["properties"][step_key.key()] = codec::or_null(json_schema(fields_of(For<KernelEntry>{})));
  return schema;
}

void read_counting(Record& record, const JsonValue& from) {
  const JsonFields fields = from.object();
  record.counting = from_json<Counting>(fields);
  if (const auto step = fields.optional_object(step_key.key())) {
    add_entry(record.counting->step.emplace(), from_json<KernelEntry>(*step));
  }
}

const std::optional<HardwareSamples>& samples_over_time(const Record& record) {
  return record.hardware_samples;
}

/// Columns are as long as the list of times, or empty.
void read_samples_over_time(Record& record, const JsonValue& from) {
  codec::decode(record.hardware_samples, from);
  if (!record.hardware_samples) return;
  const HardwareSamples& samples = *record.hardware_samples;
  const bool fits = samples.length_s.size() == samples.size() &&
                    std::ranges::all_of(sample_figures, [&](const SampleFigure& figure) {
                      const HardwareSamples::Column& column = samples.*figure.column;
                      return column.empty() || column.size() == samples.size();
                    });
  if (!fits) from.fail("has columns of different lengths");
  if (std::ranges::any_of(samples.length_s, [](double length_s) { return length_s <= 0.0; })) {
    from.fail("has a sample without a length");
  }
}

/// Null for most records.
std::optional<bool> ruled_out(const Record& record) {
  return record.tensor_work_ruled_out ? std::optional(true) : std::nullopt;
}

Json kernels_json(const Record& record) {
  if (!record.kernels) return nullptr;
  Json json = Json::array();
  for (std::size_t row = 0; row < record.kernels->size(); ++row) {
    json.push_back(kernel_json(*record.kernels, row, may_have_tensor_work(record)));
  }
  return json;
}

Json kernels_schema() { return codec::schema_of<std::vector<KernelEntry>>(); }

void read_kernels(Record& record, const JsonValue& from) {
  KernelTable& kernels = record.kernels.emplace();
  from.for_each_element([&kernels](const JsonValue& row) {
    add_entry(kernels, from_json<KernelEntry>(row.object()));
  });
}

}  // namespace

std::span<const Field> fields_of(For<CaseIdentity>) {
  static constexpr auto fields =
      field_table(members<&CaseIdentity::model, &CaseIdentity::device, &CaseIdentity::batch,
                          &CaseIdentity::phase, &CaseIdentity::precision, &CaseIdentity::optimizer,
                          &CaseIdentity::variant, &CaseIdentity::rewrite, &CaseIdentity::data,
                          &CaseIdentity::channels_last, &CaseIdentity::worker>,
                  field<&CaseIdentity::command>("command_line"), field<&CaseIdentity::graph>());
  return fields;
}

std::span<const Field> fields_of(For<Timing>) {
  static constexpr auto fields =
      field_table(members<&Timing::steps_s, &Timing::setup_s, &Timing::first_call_s,
                          &Timing::warmup_steps, &Timing::stable, &Timing::clock>,
                  field<&Timing::data_s>().or_default(), field<&Timing::copy_s>().or_default(),
                  members<&Timing::issue_s, &Timing::device_s>);
  return fields;
}

std::span<const Field> fields_of(For<PhaseMemory>) {
  static constexpr auto fields =
      field_table(field<&PhaseMemory::phase>("step_part"),
                  members<&PhaseMemory::before, &PhaseMemory::peak, &PhaseMemory::after>);
  return fields;
}

std::span<const Field> fields_of(For<MemoryUse>) {
  static constexpr auto fields =
      field_table(members<&MemoryUse::allocated_peak, &MemoryUse::reserved_peak,
                          &MemoryUse::device_used, &MemoryUse::context>,
                  field<&MemoryUse::saved>("saved_activation_bytes"),
                  members<&MemoryUse::persistent, &MemoryUse::resident_peak, &MemoryUse::phases>);
  return fields;
}

std::span<const Field> fields_of(For<NodeTiming>) {
  return members<&NodeTiming::node, &NodeTiming::op, &NodeTiming::forward_s,
                 &NodeTiming::backward_s, &NodeTiming::synchronized_s,
                 &NodeTiming::allocated_delta_bytes>;
}

std::span<const Field> fields_of(For<LayerTimes>) {
  return members<&LayerTimes::repetitions, &LayerTimes::sum_s, &LayerTimes::whole_s,
                 &LayerTimes::synchronized_sum_s, &LayerTimes::forward_whole_s,
                 &LayerTimes::between_s, &LayerTimes::forward_sum_s, &LayerTimes::synchronization_s,
                 &LayerTimes::waits, &LayerTimes::nodes>;
}

std::span<const Field> layer_sum_fields() {
  const std::span<const Field> all = fields_of(For<LayerTimes>{});
  return all.first(all.size() - 1);
}

// Launches and ranges, of which a file may have millions, come last: write_json() writes them row
// by row.
std::span<const Field> fields_of(For<Record>) {
  static constexpr auto fields = field_table(
      members<&Record::identity, &Record::status>, field<&Record::message>().or_default(),
      members<&Record::environment, &Record::timing, &Record::memory>,
      field<&Record::energy_j>("step_energy_j"), field<&Record::layers>(),
      field<&Record::issue_costs>().sparse(), field<&Record::samples>("sample_series").or_default(),
      field<&Record::lost>().or_default(), field<&Record::broken_data>().or_default(),
      field<&Record::warnings>().or_default(),
      field<&ruled_out, &Record::tensor_work_ruled_out>("tensor_work_ruled_out").sparse(),
      field<&samples_over_time, &read_samples_over_time>("hardware_samples").sparse(),
      field<&Record::counted_groups>().sparse(),
      field<&counting_json, &read_counting>("counting").typed(&counting_schema).sparse(),
      field<&Record::modelled>("modelled_step").sparse(), field<&Record::messages>().sparse(),
      field<&kernels_json, &read_kernels>("kernels").typed(&kernels_schema).sparse(),
      field<&Record::trace>().sparse());
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
