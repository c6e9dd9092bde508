#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>

namespace rooflab {
class Json;
class JsonValue;
}  // namespace rooflab

namespace rooflab::record {

/// Texts kept once: a table of a million rows holds numbers instead of kernel names.
class NameTable {
 public:
  using Id = std::uint32_t;

  NameTable() = default;
  NameTable(const NameTable& other);
  NameTable(NameTable&& other) noexcept = default;
  NameTable& operator=(const NameTable& other);
  NameTable& operator=(NameTable&& other) noexcept = default;
  ~NameTable() = default;

  /// The number of `name`, a new one if it was not there. Numbers count from 0.
  Id intern(std::string_view name);

  /// Stays valid while the table lives.
  [[nodiscard]] const std::string& operator[](Id id) const { return names_[id]; }
  [[nodiscard]] std::size_t size() const { return names_.size(); }

 private:
  std::deque<std::string> names_;  ///< never moves its elements
  std::unordered_map<std::string_view, Id> ids_;
};

/// A list of its texts in JSON.
[[nodiscard]] Json encode_json(const NameTable& names);
void decode_json(NameTable& names, const JsonValue& from);

}  // namespace rooflab::record
