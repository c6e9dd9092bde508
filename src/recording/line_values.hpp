#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/json.hpp"

namespace rooflab::recording {

/// Reads values in the lines of a file. Errors are Error (input) with the line.
class LineValues {
 public:
  explicit LineValues(std::string file) : file_(std::move(file)) {}

  [[noreturn]] void fail(const std::string& message, std::string hint = {}) const {
    throw Error(ErrorKind::input, message, std::move(hint),
                Location{file_, std::max(line_, 1), {}, {}});
  }
  void next_line() { ++line_; }
  [[nodiscard]] int line() const { return line_; }

  [[nodiscard]] const Json& member(const Json& json, const char* key) const {
    const Json* const found = json.find(key);
    if (found == json.end()) fail(format("'{}' is missing", key));
    return *found;
  }
  [[nodiscard]] std::int64_t integer(const Json& json, std::string_view what) const {
    if (!json.is_number_integer()) fail(format("'{}' must be a whole number", what));
    return json.get<std::int64_t>();
  }
  [[nodiscard]] std::vector<std::int64_t> integers(const Json& json, std::string_view what) const {
    if (!json.is_array()) fail(format("'{}' must be a list", what));
    std::vector<std::int64_t> all;
    all.reserve(json.size());
    for (const Json& each : json) all.push_back(integer(each, what));
    return all;
  }
  [[nodiscard]] const std::string& text(const Json& json, std::string_view what) const {
    if (!json.is_string()) fail(format("'{}' must be a text", what));
    return json.text();
  }
  [[nodiscard]] std::string text_or(const Json& json, const char* key,
                                    const std::string& otherwise) const {
    const Json* const found = json.find(key);
    return found == json.end() || found->is_null() ? otherwise : text(*found, key);
  }
  [[nodiscard]] bool flag(const Json& json, const char* key, bool otherwise) const {
    const Json* const found = json.find(key);
    if (found == json.end() || found->is_null()) return otherwise;
    if (!found->is_boolean()) fail(format("'{}' must be true or false", key));
    return found->get<bool>();
  }
  [[nodiscard]] std::int64_t count_of(const Json& json) const {
    const Json* const found = json.find("count");
    const std::int64_t count = found == json.end() ? 1 : integer(*found, "count");
    if (count < 0) fail("'count' must not be negative");
    return count;
  }
  /// A number below `count`.
  [[nodiscard]] std::int32_t number_of(const Json& json, std::size_t count,
                                       std::string_view what) const {
    const std::int64_t id = integer(json, what);
    if (id < 0 || id >= static_cast<std::int64_t>(count)) {
      fail(format("{} {} was not named before", what, id));
    }
    return static_cast<std::int32_t>(id);
  }
  void expect_next(const Json& json, std::size_t next, std::string_view what) const {
    const std::int64_t id = integer(json, what);
    if (id != static_cast<std::int64_t>(next)) {
      fail(format("{} {} is not the next one ({})", what, id, next));
    }
  }
  template <class Work>
  void in_range(Work work) const {
    try {
      work();
    } catch (const Error& error) {
      fail(error.what());
    }
  }

 private:
  std::string file_;
  int line_ = 0;
};

}  // namespace rooflab::recording
