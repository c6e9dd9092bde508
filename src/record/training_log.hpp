#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/base/json.hpp"
#include "system/line_file.hpp"

namespace rooflab::record {

/// Kind of a line in an MLPerf log.
enum class LogEvent : std::uint8_t { point_in_time, interval_start, interval_end };
constexpr auto names_in_order(For<LogEvent>) {
  return names_through<LogEvent::interval_end>("POINT_IN_TIME", "INTERVAL_START", "INTERVAL_END");
}

/// Place in the program's source, as a default argument. clang 14 does not have
/// std::source_location.
struct CodePlace {
  const char* file = "";
  int line = 0;

  [[nodiscard]] static CodePlace current(const char* file = __builtin_FILE(),
                                         int line = __builtin_LINE()) {
    return {file, line};
  }
};

/// A line as MLPerf's compliance checker reads it, without its end:
///
///     :::MLLOG {"namespace": "", "time_ms": 1556733699974, "event_type": "POINT_IN_TIME",
///     "key": "seed", "value": 1, "metadata": {"file": "trainer.cpp", "lineno": 91}}
///
/// (one line). `metadata` are further keys of that object: `epoch_num`, `status`. Source: MLCommons
/// logging package, mllog/mllog.py; docs/formats/training.md lists the keys.
[[nodiscard]] std::string log_line(std::int64_t time_ms, LogEvent event, std::string_view key,
                                   const Json& value, const Json& metadata, CodePlace place);

/// The log of one run: a file that grows by one line per event, written at once.
class TrainingLog {
 public:
  /// Continues the file, which is made if it is missing. Throws Error (system) when it cannot be
  /// written, as the members do.
  explicit TrainingLog(std::filesystem::path file) : file_(std::move(file)) {}

  void point(std::string_view key, const Json& value, const Json& metadata = Json::object(),
             CodePlace place = CodePlace::current()) const {
    append(LogEvent::point_in_time, key, value, metadata, place);
  }
  void start(std::string_view key, const Json& metadata = Json::object(),
             CodePlace place = CodePlace::current()) const {
    append(LogEvent::interval_start, key, nullptr, metadata, place);
  }
  void stop(std::string_view key, const Json& metadata = Json::object(),
            CodePlace place = CodePlace::current()) const {
    append(LogEvent::interval_end, key, nullptr, metadata, place);
  }

 private:
  void append(LogEvent event, std::string_view key, const Json& value, const Json& metadata,
              CodePlace place) const;

  LineFile file_;
};

}  // namespace rooflab::record
