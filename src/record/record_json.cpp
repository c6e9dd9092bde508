// The record file, written and read: one function each way for every part, side by side, so that a
// new field is added in both.

#include "rooflab/record/record_json.hpp"

#include <ostream>

#include "rooflab/base/error.hpp"
#include "rooflab/base/file.hpp"
#include "rooflab/base/json_fields.hpp"
#include "rooflab/base/text.hpp"
#include "rooflab/record/counter_metric.hpp"
#include "rooflab/record/kernel_json.hpp"
#include "rooflab/record/trace_json.hpp"

namespace rooflab::record {
namespace {

// ---- environment ----------------------------------------------------------------------------

DeviceIdentity read_device(const JsonFields& fields) {
  DeviceIdentity device;
  device.kind = fields.text("kind");
  device.index = fields.small_integer("index");
  device.name = fields.text("name");
  device.uuid = fields.text("uuid");
  device.memory = fields.optional_bytes("memory_bytes");
  device.compute_capability = fields.optional_text("compute_capability");
  if (fields.has("multiprocessors"))
    device.multiprocessors = fields.small_integer("multiprocessors");
  device.driver = fields.optional_text("driver");
  return device;
}

Json to_json(const std::optional<ClockState>& clocks) {
  if (!clocks) return nullptr;
  Json json;
  json["sm_clock_hz"] = json_or_null(clocks->sm_clock_hz);
  json["memory_clock_hz"] = json_or_null(clocks->memory_clock_hz);
  json["temperature_c"] = json_or_null(clocks->temperature_c);
  json["throttle_reasons"] = json_or_null(clocks->throttle_reasons);
  return json;
}

std::optional<ClockState> read_clocks(const std::optional<JsonFields>& fields) {
  if (!fields) return std::nullopt;
  return ClockState{
      fields->optional_number("sm_clock_hz"), fields->optional_number("memory_clock_hz"),
      fields->optional_number("temperature_c"), fields->optional_texts("throttle_reasons")};
}

Environment read_environment(const JsonFields& fields) {
  Environment environment;
  environment.date = fields.text("date");
  environment.command = fields.text("command");
  environment.rooflab = fields.text("rooflab");
  environment.host = fields.text("host");
  environment.cpu = fields.text("cpu");
  environment.logical_cpus = fields.small_integer("logical_cpus");
  if (fields.has("threads")) environment.threads = fields.small_integer("threads");
  environment.host_memory = fields.optional_bytes("host_memory_bytes");
  environment.device = read_device(fields.object("device"));
  environment.libraries = fields.text_map("libraries");
  environment.tf32_convolution = fields.optional_flag("tf32_convolution");
  environment.tf32_matmul = fields.optional_flag("tf32_matmul");
  environment.cudnn_benchmark = fields.optional_flag("cudnn_benchmark");
  environment.clocks_before = read_clocks(fields.optional_object("clocks_before"));
  environment.clocks_after = read_clocks(fields.optional_object("clocks_after"));
  return environment;
}

// ---- identity -------------------------------------------------------------------------------

CaseIdentity read_identity(const JsonFields& fields) {
  CaseIdentity identity;
  identity.model = fields.text("model");
  identity.device = fields.text("device");
  identity.batch = fields.integer("batch");
  const std::optional<Phase> phase = from_name<Phase>(fields.text("phase"));
  if (!phase) fields.fail("phase", "must be inference, forward or training");
  identity.phase = *phase;
  const std::optional<Precision> precision = from_name<Precision>(fields.text("precision"));
  if (!precision)
    fields.fail("precision", format("must be one of {}", join(names_of<Precision>(), ", ")));
  identity.precision = *precision;
  identity.optimizer = fields.text("optimizer");
  identity.variant = fields.text("variant");
  identity.rewrite = fields.text("rewrite");
  identity.data = fields.text("data");
  identity.channels_last = fields.flag("channels_last");
  identity.command = fields.text("command");
  identity.graph = fields.text("graph");
  return identity;
}

// ---- what was measured ----------------------------------------------------------------------

Json to_json(const std::optional<Timing>& timing) {
  if (!timing) return nullptr;
  Json json;
  json["steps_s"] = timing->steps_s;
  json["setup_s"] = timing->setup_s;
  json["first_call_s"] = timing->first_call_s;
  json["warmup_steps"] = timing->warmup_steps;
  json["stable"] = timing->stable;
  json["clock"] = timing->clock;
  json["data_s"] = timing->data_s;
  json["copy_s"] = timing->copy_s;
  json["issue_s"] = json_or_null(timing->issue_s);
  json["device_s"] = json_or_null(timing->device_s);
  return json;
}

std::optional<Timing> read_timing(const std::optional<JsonFields>& fields) {
  if (!fields) return std::nullopt;
  Timing timing;
  timing.steps_s = fields->numbers("steps_s");
  timing.setup_s = fields->number("setup_s");
  timing.first_call_s = fields->number("first_call_s");
  timing.warmup_steps = fields->small_integer("warmup_steps");
  timing.stable = fields->flag("stable");
  timing.clock = fields->text("clock");
  timing.data_s = fields->numbers("data_s");
  timing.copy_s = fields->numbers("copy_s");
  timing.issue_s = fields->optional_number("issue_s");
  timing.device_s = fields->optional_number("device_s");
  return timing;
}

Json to_json(const std::optional<MemoryUse>& memory) {
  return memory ? record::to_json(*memory) : Json(nullptr);
}

std::optional<MemoryUse> read_memory(const std::optional<JsonFields>& fields) {
  if (!fields) return std::nullopt;
  MemoryUse memory;
  memory.allocated_peak = fields->optional_bytes("allocated_peak_bytes");
  memory.reserved_peak = fields->optional_bytes("reserved_peak_bytes");
  memory.device_used = fields->optional_bytes("device_used_bytes");
  memory.context = fields->optional_bytes("context_bytes");
  memory.saved = fields->optional_bytes("saved_bytes");
  memory.persistent = fields->optional_bytes("persistent_bytes");
  memory.resident_peak = fields->optional_bytes("resident_peak_bytes");
  for (const JsonFields& phase : fields->objects("phases")) {
    memory.phases.push_back({phase.text("phase"), Bytes(phase.integer("before_bytes")),
                             Bytes(phase.integer("peak_bytes")),
                             Bytes(phase.integer("after_bytes"))});
  }
  return memory;
}

Json to_json(const std::optional<LayerTimes>& layers) {
  if (!layers) return nullptr;
  Json json;
  json["repetitions"] = layers->repetitions;
  json["sum_s"] = layers->sum_s;
  json["whole_s"] = layers->whole_s;
  json["synchronized_sum_s"] = json_or_null(layers->synchronized_sum_s);
  json["forward_whole_s"] = json_or_null(layers->forward_whole_s);
  json["nodes"] = Json::array();
  for (const NodeTiming& node : layers->nodes) {
    json["nodes"].push_back({{"node", node.node},
                             {"op", node.op},
                             {"forward_s", node.forward_s},
                             {"backward_s", json_or_null(node.backward_s)},
                             {"synchronized_s", json_or_null(node.synchronized_s)},
                             {"allocated_delta_bytes", json_or_null(node.allocated_delta_bytes)}});
  }
  return json;
}

std::optional<LayerTimes> read_layers(const std::optional<JsonFields>& fields) {
  if (!fields) return std::nullopt;
  LayerTimes layers;
  layers.repetitions = fields->small_integer("repetitions");
  layers.sum_s = fields->number("sum_s");
  layers.whole_s = fields->number("whole_s");
  layers.synchronized_sum_s = fields->optional_number("synchronized_sum_s");
  layers.forward_whole_s = fields->optional_number("forward_whole_s");
  for (const JsonFields& node : fields->objects("nodes")) {
    layers.nodes.push_back({node.text("node"), node.text("op"), node.number("forward_s"),
                            node.optional_number("backward_s"),
                            node.optional_number("synchronized_s"),
                            node.optional_integer("allocated_delta_bytes")});
  }
  return layers;
}

Json to_json(const Sample& sample) {
  Json json;
  json["time_s"] = sample.time_s;
  // A long recording has thousands of samples: absent figures are left out here, not null.
  const auto put = [&json](const char* key, const auto& value) {
    if (value) json[key] = *value;
  };
  put("core_utilization", sample.core_utilization);
  put("memory_utilization", sample.memory_utilization);
  put("memory_used_bytes", sample.memory_used_bytes);
  put("power_w", sample.power_w);
  put("energy_j", sample.energy_j);
  put("sm_clock_hz", sample.sm_clock_hz);
  put("memory_clock_hz", sample.memory_clock_hz);
  put("temperature_c", sample.temperature_c);
  put("throttle_reasons", sample.throttle_reasons);
  put("task_clock_s", sample.task_clock_s);
  put("resident_bytes", sample.resident_bytes);
  return json;
}

Sample read_sample(const JsonFields& fields) {
  Sample sample;
  sample.time_s = fields.number("time_s");
  sample.core_utilization = fields.optional_number("core_utilization");
  sample.memory_utilization = fields.optional_number("memory_utilization");
  sample.memory_used_bytes = fields.optional_integer("memory_used_bytes");
  sample.power_w = fields.optional_number("power_w");
  sample.energy_j = fields.optional_number("energy_j");
  sample.sm_clock_hz = fields.optional_number("sm_clock_hz");
  sample.memory_clock_hz = fields.optional_number("memory_clock_hz");
  sample.temperature_c = fields.optional_number("temperature_c");
  sample.throttle_reasons = fields.optional_texts("throttle_reasons");
  sample.task_clock_s = fields.optional_number("task_clock_s");
  sample.resident_bytes = fields.optional_integer("resident_bytes");
  return sample;
}

std::vector<SampleSeries> read_series(const std::vector<JsonFields>& all) {
  std::vector<SampleSeries> result;
  for (const JsonFields& fields : all) {
    SampleSeries series{fields.text("device"), fields.text("name"), {}};
    for (const JsonFields& sample : fields.objects("samples")) {
      series.samples.push_back(read_sample(sample));
    }
    result.push_back(std::move(series));
  }
  return result;
}

// ---- counters -------------------------------------------------------------------------------

Json to_json(const Counting& counting, bool tensor_cores) {
  Json json = record::to_json(counting);
  const bool stepped = counting.step && !counting.step->empty();
  json["step"] = stepped ? kernel_json(*counting.step, 0, tensor_cores) : Json(nullptr);
  json["scopes"] = Json::array();
  for (const LaunchScope& scope : counting.scopes) {
    json["scopes"].push_back({{"node", scope.node}, {"op", scope.op}, {"pass", scope.pass}});
  }
  return json;
}

std::optional<Counting> read_counting(const std::optional<JsonFields>& fields) {
  if (!fields) return std::nullopt;
  Counting counting;
  counting.chip = fields->text("chip");
  counting.launches_per_step = fields->integer("launches_per_step");
  counting.steps_s = fields->numbers("steps_s");
  counting.arming_s = fields->number("arming_s");
  counting.wall_s = fields->number("wall_s");
  for (const JsonFields& set : fields->objects("sets")) {
    counting.sets.push_back({set.texts("metrics"), set.flag("per_kernel"),
                             set.small_integer("passes"), set.number("arming_s"),
                             set.number("wall_s"), set.integer("launches"),
                             set.integer("dropped")});
  }
  if (const auto step = fields->optional_object("step")) {
    counting.step = kernels_from_json({*step});
  }
  const JsonFields peaks = fields->object("peaks");
  for (const auto& [metric, peak] : fields->value("peaks").items()) {
    counting.peaks[metric] = peaks.number(metric);
  }
  for (const JsonFields& scope : fields->objects("scopes")) {
    counting.scopes.push_back({scope.text("node"), scope.text("op"), scope.text("pass")});
  }
  return counting;
}

std::vector<Loss> read_losses(const std::vector<JsonFields>& entries) {
  std::vector<Loss> losses;
  for (const JsonFields& fields : entries) {
    losses.push_back({fields.text("what"), fields.integer("count"), fields.text("first")});
  }
  return losses;
}

/// All but the rows of kernels and trace.
Json head_json(const Record& record) {
  Json json;
  json["schema_version"] = schema_version;
  json["kind"] = "record";
  json["identity"] = to_json(record.identity);
  json["status"] = name_of(record.status);
  json["message"] = record.message;
  json["environment"] = to_json(record.environment);
  json["timing"] = to_json(record.timing);
  json["memory"] = to_json(record.memory);
  json["energy_j"] = json_or_null(record.energy_j);
  json["layers"] = to_json(record.layers);
  json["samples"] = to_json(record.samples);
  json["lost"] = Json::array();
  for (const Loss& loss : record.lost) {
    json["lost"].push_back({{"what", loss.what}, {"count", loss.count}, {"first", loss.first}});
  }
  json["broken_data"] = record.broken_data;
  json["warnings"] = record.warnings;
  if (record.counting) {
    json["counting"] = to_json(*record.counting,
                               may_have_tensor_cores(record.environment.device.compute_capability));
  }
  return json;
}

/// Names of kernels and files and messages of libraries may hold any bytes.
std::string dumped(const Json& json, int indent = -1) { return json.dump(indent); }

}  // namespace

Json to_json(const Counting& counting) {
  Json json;
  json["chip"] = counting.chip;
  json["launches_per_step"] = counting.launches_per_step;
  json["steps_s"] = counting.steps_s;
  json["arming_s"] = counting.arming_s;
  json["wall_s"] = counting.wall_s;
  json["sets"] = Json::array();
  for (const CounterSet& set : counting.sets) {
    json["sets"].push_back({{"metrics", set.metrics},
                            {"per_kernel", set.per_kernel},
                            {"passes", set.passes},
                            {"arming_s", set.arming_s},
                            {"wall_s", set.wall_s},
                            {"launches", set.launches},
                            {"dropped", set.dropped}});
  }
  json["peaks"] = Json::object();
  for (const auto& [metric, peak] : counting.peaks) json["peaks"][metric] = peak;
  return json;
}

Json to_json(const MemoryUse& memory) {
  Json json;
  json["allocated_peak_bytes"] = json_or_null(memory.allocated_peak);
  json["reserved_peak_bytes"] = json_or_null(memory.reserved_peak);
  json["device_used_bytes"] = json_or_null(memory.device_used);
  json["context_bytes"] = json_or_null(memory.context);
  json["saved_bytes"] = json_or_null(memory.saved);
  json["persistent_bytes"] = json_or_null(memory.persistent);
  json["resident_peak_bytes"] = json_or_null(memory.resident_peak);
  json["phases"] = Json::array();
  for (const PhaseMemory& phase : memory.phases) {
    json["phases"].push_back({{"phase", phase.phase},
                              {"before_bytes", phase.before.value()},
                              {"peak_bytes", phase.peak.value()},
                              {"after_bytes", phase.after.value()}});
  }
  return json;
}

Json to_json(const std::vector<SampleSeries>& all) {
  Json json = Json::array();
  for (const SampleSeries& series : all) {
    Json samples = Json::array();
    for (const Sample& sample : series.samples) samples.push_back(to_json(sample));
    json.push_back(
        {{"device", series.device}, {"name", series.name}, {"samples", std::move(samples)}});
  }
  return json;
}

std::vector<SampleSeries> samples_from_json(const Json& json, const std::string& file) {
  const Json object = {{"samples", json}};
  return read_series(JsonFields(object, file).objects("samples"));
}

Json to_json(const CaseIdentity& identity) {
  Json json;
  json["model"] = identity.model;
  json["device"] = identity.device;
  json["batch"] = identity.batch;
  json["phase"] = name_of(identity.phase);
  json["precision"] = name_of(identity.precision);
  json["optimizer"] = identity.optimizer;
  json["variant"] = identity.variant;
  json["rewrite"] = identity.rewrite;
  json["data"] = identity.data;
  json["channels_last"] = identity.channels_last;
  json["command"] = identity.command;
  json["graph"] = identity.graph;
  return json;
}

CaseIdentity identity_from_json(const Json& json, const std::string& file) {
  return read_identity(JsonFields(json, file, "identity."));
}

Json to_json(const DeviceIdentity& device) {
  Json json;
  json["kind"] = device.kind;
  json["index"] = device.index;
  json["name"] = device.name;
  json["uuid"] = device.uuid;
  json["memory_bytes"] = json_or_null(device.memory);
  json["compute_capability"] = json_or_null(device.compute_capability);
  json["multiprocessors"] = json_or_null(device.multiprocessors);
  json["driver"] = json_or_null(device.driver);
  return json;
}

DeviceIdentity device_identity_from_json(const Json& json, const std::string& file) {
  return read_device(JsonFields(json, file));
}

Environment environment_from_json(const Json& json, const std::string& file) {
  return read_environment(JsonFields(json, file, "environment."));
}

Json to_json(const Environment& environment) {
  Json json;
  json["date"] = environment.date;
  json["command"] = environment.command;
  json["rooflab"] = environment.rooflab;
  json["host"] = environment.host;
  json["cpu"] = environment.cpu;
  json["logical_cpus"] = environment.logical_cpus;
  json["threads"] = json_or_null(environment.threads);
  json["host_memory_bytes"] = json_or_null(environment.host_memory);
  json["device"] = to_json(environment.device);
  json["libraries"] = Json::object();
  for (const auto& [name, version] : environment.libraries) json["libraries"][name] = version;
  json["tf32_convolution"] = json_or_null(environment.tf32_convolution);
  json["tf32_matmul"] = json_or_null(environment.tf32_matmul);
  json["cudnn_benchmark"] = json_or_null(environment.cudnn_benchmark);
  json["clocks_before"] = to_json(environment.clocks_before);
  json["clocks_after"] = to_json(environment.clocks_after);
  return json;
}

Json to_json(const Record& record) {
  Json json = head_json(record);
  const bool tensor_cores = may_have_tensor_cores(record.environment.device.compute_capability);
  if (record.kernels) {
    json["kernels"] = Json::array();
    for (std::size_t row = 0; row < record.kernels->size(); ++row) {
      json["kernels"].push_back(kernel_json(*record.kernels, row, tensor_cores));
    }
  }
  if (record.trace) {
    json["trace"] = trace_head_json(*record.trace);
    Json& rows = json["trace"]["ranges"]["rows"] = Json::array();
    for (std::size_t row = 0; row < record.trace->ranges.size(); ++row) {
      rows.push_back(range_json(record.trace->ranges, row));
    }
  }
  return json;
}

void write_json(std::ostream& stream, const Record& record, const Json& more) {
  Json head = more;
  head.update(head_json(record));
  std::string text = dumped(head, 1);
  text.resize(text.rfind('\n'));  // the closing brace comes last
  stream << text;
  const bool tensor_cores = may_have_tensor_cores(record.environment.device.compute_capability);
  if (record.kernels) {
    stream << ",\n \"kernels\": [";
    for (std::size_t row = 0; row < record.kernels->size(); ++row) {
      stream << (row == 0 ? "\n  " : ",\n  ")
             << dumped(kernel_json(*record.kernels, row, tensor_cores));
    }
    stream << "\n ]";
  }
  if (record.trace) {
    std::string trace = dumped(trace_head_json(*record.trace));
    trace.resize(trace.size() - 2);  // `}}`: of ranges, its last key, and of the trace
    stream << ",\n \"trace\": " << trace << ",\"rows\":[";
    for (std::size_t row = 0; row < record.trace->ranges.size(); ++row) {
      stream << (row == 0 ? "\n  " : ",\n  ") << dumped(range_json(record.trace->ranges, row));
    }
    stream << "\n ]}}";
  }
  stream << "\n}\n";
}
Record record_from_json(const Json& json, const std::string& file) {
  const JsonFields fields(json, file);
  fields.require_kind(
      "record", schema_version, "record",
      "records are what `rooflab measure -o DIR` and `rooflab monitor -o FILE.json` write");
  Record record;
  record.identity = read_identity(fields.object("identity"));
  const std::optional<Status> status = from_name<Status>(fields.text("status"));
  if (!status) fields.fail("status", "is unknown");
  record.status = *status;
  record.message = fields.text("message");
  record.environment = read_environment(fields.object("environment"));
  record.timing = read_timing(fields.optional_object("timing"));
  record.memory = read_memory(fields.optional_object("memory"));
  record.energy_j = fields.optional_number("energy_j");
  record.layers = read_layers(fields.optional_object("layers"));
  record.samples = read_series(fields.objects("samples"));
  if (fields.has("kernels")) record.kernels = kernels_from_json(fields.objects("kernels"));
  record.counting = read_counting(fields.optional_object("counting"));
  if (fields.has("trace")) record.trace = trace_from_json(fields.object("trace"));
  if (fields.has("lost")) record.lost = read_losses(fields.objects("lost"));
  record.broken_data = fields.texts("broken_data");
  record.warnings = fields.texts("warnings");
  return record;
}

Record read_record(const std::filesystem::path& path) {
  return record_from_json(parse_json(read_file(path), path.string()), path.string());
}

void write_record(const std::filesystem::path& path, const Record& record) {
  write_file_atomically(path, [&](std::ostream& stream) { write_json(stream, record); });
}

}  // namespace rooflab::record
