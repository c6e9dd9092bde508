#include "training_log.hpp"

#include <chrono>

namespace rooflab::record {
namespace {

/// With a blank after `:` and `,`, as Python's json.dumps writes: readers of the format use
/// regular expressions.
void write_spaced(const Json& json, std::string& text) {
  if (json.is_object()) {
    std::string_view separator = "{";
    for (const auto& [key, value] : json.items()) {
      text += separator;
      text += Json(key).dump() + ": ";
      write_spaced(value, text);
      separator = ", ";
    }
    text += json.empty() ? "{}" : "}";
  } else if (json.is_array()) {
    std::string_view separator = "[";
    for (const Json& value : json) {
      text += separator;
      write_spaced(value, text);
      separator = ", ";
    }
    text += json.empty() ? "[]" : "]";
  } else {
    text += json.dump();
  }
}

}  // namespace

std::string log_line(std::int64_t time_ms, LogEvent event, std::string_view key, const Json& value,
                     const Json& metadata, CodePlace place) {
  Json more = {{"file", std::filesystem::path(place.file).filename().string()},
               {"lineno", place.line}};
  more.update(metadata);
  const Json json = {{"namespace", ""}, {"time_ms", time_ms}, {"event_type", name_of(event)},
                     {"key", key},      {"value", value},     {"metadata", std::move(more)}};
  std::string text = ":::MLLOG ";
  write_spaced(json, text);
  return text;
}

void TrainingLog::append(LogEvent event, std::string_view key, const Json& value,
                         const Json& metadata, CodePlace place) const {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  const auto time_ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
  file_.append(log_line(time_ms, event, key, value, metadata, place));
}

}  // namespace rooflab::record
