#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/base/enum_names.hpp"
#include "rooflab/record/record.hpp"

namespace rooflab::import::kineto {

/// Reason why a part of a trace is not in the record.
enum class LossKind : std::uint8_t {
  invalid_event,  ///< its readable part is used
  lost_event,     ///< within a string or bracket that never ends
  large_event,
  cut_event,  ///< event that the end of the file cut off
  stray_text,
  no_time,
  unreadable_time,
  no_duration,
  negative_duration,
  key_twice,
  not_finite,  ///< a figure that is not finite
  unreadable_value,
  long_argument,
  counter_range,
  large_member,
  invalid_member,
  text_behind,
  early_end,
  damaged_archive,
};
constexpr auto names_in_order(For<LossKind>) {
  return names_through<LossKind::damaged_archive>(
      "events that are not valid JSON (what of them could be read is used)",
      "events without an end", "events larger than 16 MiB", "events cut off by the end of the file",
      "pieces of text between events", "events without a time",
      "times that are not numbers or beyond 127 years", "events without a duration",
      "negative durations", "events with a key written twice (the last one counts)",
      "figures that are infinite, not a number or out of their range",
      "values that are not of their type or do not fit in 64 bits",
      "shapes of an op that are not lists of numbers, or longer than 64 KiB",
      "counters of kernel ranges (cuda_profiler_range)", "members of the head larger than 1 MiB",
      "members of the head that cannot be read", "text behind the trace", "the end of the file",
      "damage of the compressed data");
}

/// Losses by kind, each with the byte of the first: cheap enough for one per event.
class LossCount {
 public:
  void add(LossKind kind, std::uint64_t offset);
  /// Counts an event that no rule uses; `category` as in the file, with its quotes.
  void add_unknown(std::string_view category, std::uint64_t offset);

  [[nodiscard]] std::int64_t total() const;
  [[nodiscard]] bool has(LossKind kind) const { return at(kind).count > 0; }
  [[nodiscard]] std::vector<record::Loss> losses() const;

 private:
  struct Entry {
    std::int64_t count = 0;
    std::uint64_t first = 0;
  };
  static void count(Entry& entry, std::uint64_t offset);
  [[nodiscard]] const Entry& at(LossKind kind) const {
    return entries_[static_cast<std::size_t>(kind)];
  }

  std::array<Entry, values_of<LossKind>.size()> entries_;
  std::map<std::string, Entry, std::less<>> unknown_;
};

}  // namespace rooflab::import::kineto
