#include "trace_head.hpp"

#include <algorithm>
#include <array>
#include <limits>

#include "base/format.hpp"
#include "notes/import_notes.hpp"
#include "record/trace_event_names.hpp"
#include "rooflab/base/json.hpp"

namespace rooflab::import::kineto {
namespace {

namespace names = record::trace_event;

constexpr std::array<std::string_view, 7> members = {
    "schemaVersion",       names::devices,         names::ranks,   names::base_time,
    "cuda_driver_version", "cuda_runtime_version", "cupti_version"};

/// A whole number from `low` to `high`; nullopt also where the key is not there.
std::optional<std::int64_t> number(const Json& object, const char* key, std::int64_t low,
                                   std::int64_t high = std::numeric_limits<std::int64_t>::max()) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number_integer()) return std::nullopt;
  if (found->is_number_unsigned() &&
      found->get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()}) {
    return std::nullopt;
  }
  const auto value = found->get<std::int64_t>();
  if (value < low || value > high) return std::nullopt;
  return value;
}

std::optional<int> small(const Json& object, const char* key, int low) {
  const auto value = number(object, key, low, std::numeric_limits<int>::max());
  return value ? std::optional<int>(static_cast<int>(*value)) : std::nullopt;
}

std::string text(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

bool read_devices(const Json& list, record::Trace& trace) {
  if (!list.is_array()) return false;
  bool complete = true;
  for (const Json& each : list) {
    const auto id = each.is_object() ? small(each, "id", 0) : std::nullopt;
    if (!id) {
      complete = false;
      continue;
    }
    record::TraceDevice device;
    device.id = *id;
    device.name = text(each, "name");
    device.memory_bytes = number(each, "totalGlobalMem", 1);
    const auto major = small(each, "computeMajor", 1);
    const auto minor = small(each, "computeMinor", 0);
    if (major && minor) device.compute_capability = format("{}.{}", *major, *minor);
    device.multiprocessors = small(each, "numSms", 1);
    device.max_threads_per_multiprocessor = small(each, "maxThreadsPerMultiprocessor", 1);
    trace.devices.push_back(std::move(device));
  }
  return complete;
}

bool read_ranks(const Json& object, record::Record& record) {
  if (!object.is_object()) return false;
  record.trace->backend = text(object, "backend");
  record.trace->rank = small(object, "rank", 0);
  record.trace->world_size = small(object, "world_size", 1);
  const std::string nccl = text(object, "nccl_version");
  if (!nccl.empty()) record.environment.libraries["nccl"] = nccl;
  return record.trace->rank.has_value() && record.trace->world_size.has_value();
}

/// CUDA counts 13000 for 13.0 (cudaRuntimeGetVersion: 1000 * major + 10 * minor).
std::string cuda_version(std::int64_t number) {
  return format("{}.{}", number / 1000, number % 1000 / 10);
}

}  // namespace

bool is_head_member(std::string_view key) {
  return std::ranges::find(members, key) != members.end();
}

bool read_head_member(std::string_view key, std::string_view value, record::Record& record) {
  const std::optional<Json> json = Json::parse_if_valid(value);
  if (!json) return false;
  if (key == names::devices) return read_devices(*json, *record.trace);
  if (key == names::ranks) return read_ranks(*json, record);
  const auto whole = number(Json({{"value", *json}}), "value", 0);
  if (!whole) return false;
  if (key == "schemaVersion" && *whole != 1) {
    record.warnings.push_back({says.trace_schema_unknown, {*whole}});
  }
  if (key == names::base_time) record.trace->base_ns = *whole;
  if (key == "cuda_driver_version") {
    record.environment.libraries["cuda driver"] = cuda_version(*whole);
  }
  if (key == "cuda_runtime_version") {
    record.environment.libraries["cuda runtime"] = cuda_version(*whole);
  }
  if (key == "cupti_version") record.environment.libraries["cupti"] = format("{}", *whole);
  return true;
}

}  // namespace rooflab::import::kineto
