#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "rooflab/base/json.hpp"

namespace rooflab::record {

/// An event of a trace file, as a viewer reads it.
struct WrittenEvent {
  std::string phase;
  std::string category;
  std::string name;
  std::int64_t pid = 0;
  std::int64_t tid = 0;
  double ts = 0.0;
  double dur = 0.0;
  Json arguments;
};

/// All events; nothing of a text that is not a trace file.
inline std::vector<WrittenEvent> written_events(const std::string& text) {
  std::vector<WrittenEvent> events;
  const std::optional<Json> json = Json::parse_if_valid(text);
  if (!json || json->find("traceEvents") == json->end()) return events;
  const auto string_of = [](const Json& event, const char* key) {
    const auto found = event.find(key);
    return found == event.end() ? std::string() : found->get<std::string>();
  };
  const auto number_of = [](const Json& event, const char* key) {
    const auto found = event.find(key);
    return found == event.end() ? 0.0 : found->get<double>();
  };
  for (const Json& event : (*json)["traceEvents"]) {
    const auto arguments = event.find("args");
    events.push_back({string_of(event, "ph"), string_of(event, "cat"), string_of(event, "name"),
                      event["pid"].get<std::int64_t>(), event["tid"].get<std::int64_t>(),
                      number_of(event, "ts"), number_of(event, "dur"),
                      arguments == event.end() ? Json() : *arguments});
  }
  return events;
}

/// What breaks the rules of the Trace Event Format, a sentence each: keys that an event lacks, and
/// events of one thread that overlap without one holding the other.
inline std::vector<std::string> broken_rules(const std::string& text) {
  std::vector<std::string> broken;
  const std::optional<Json> json = Json::parse_if_valid(text);
  if (!json) return {"not JSON, where a NaN would not be"};
  if (json->find("traceEvents") == json->end()) return {"no traceEvents"};
  const std::map<std::string, std::vector<const char*>> needed = {
      {"X", {"name", "cat", "pid", "tid", "ts", "dur", "args"}},
      {"M", {"name", "pid", "tid", "args"}},
      {"s", {"name", "cat", "pid", "tid", "ts", "id"}},
      {"f", {"name", "cat", "pid", "tid", "ts", "id", "bp"}}};
  for (const Json& event : (*json)["traceEvents"]) {
    const auto phase = event.find("ph");
    const auto keys = phase == event.end() ? needed.end() : needed.find(phase->get<std::string>());
    if (keys == needed.end()) {
      broken.push_back("a phase that is not known: " + event.dump());
      continue;
    }
    for (const char* const key : keys->second) {
      if (event.find(key) == event.end()) {
        broken.push_back(format("no {}: {}", key, event.dump()));
      }
    }
  }
  using Row = std::pair<std::int64_t, std::int64_t>;
  std::map<Row, std::vector<std::pair<std::int64_t, std::int64_t>>> rows;  // start and end in ns
  for (const WrittenEvent& event : written_events(text)) {
    if (event.phase != "X") continue;
    const std::int64_t start = std::llround(event.ts * 1e3);
    const std::int64_t length = std::llround(event.dur * 1e3);
    if (start < 0 || length < 0) broken.push_back("negative: " + event.name);
    rows[{event.pid, event.tid}].emplace_back(start, -length);
  }
  for (auto& [row, events] : rows) {
    std::sort(events.begin(), events.end());
    std::vector<std::int64_t> open;
    for (const auto& [start, minus_length] : events) {
      const std::int64_t end = start - minus_length;
      while (!open.empty() && open.back() <= start) open.pop_back();
      if (!open.empty() && end > open.back()) {
        broken.push_back(format("{}/{}: {} to {} overlaps one that ends at {}", row.first,
                                row.second, start, end, open.back()));
      }
      open.push_back(end);
    }
  }
  return broken;
}

/// The name of each row of a process, by its number.
inline std::map<std::int64_t, std::string> row_names(const std::string& text, std::int64_t pid) {
  std::map<std::int64_t, std::string> names;
  for (const WrittenEvent& event : written_events(text)) {
    if (event.phase == "M" && event.name == "thread_name" && event.pid == pid) {
      names[event.tid] = event.arguments["name"].get<std::string>();
    }
  }
  return names;
}

}  // namespace rooflab::record
