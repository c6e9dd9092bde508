#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "rooflab/record/loss.hpp"

namespace rooflab::import::kineto {

/// Why something of a trace is not in the record.
enum class LossKind : std::uint8_t {
  invalid_event,  ///< what of it could be read is used
  lost_event,     ///< a string or bracket that never ends
  large_event,
  cut_event,  ///< event that the end of the file cut off
  stray_text,
  no_time,
  unreadable_time,
  no_duration,
  negative_duration,
  key_twice,
  not_finite,  ///< a figure
  unreadable_value,
  long_argument,
  counter_range,
  large_member,
  invalid_member,
  text_behind,
  early_end,
};
inline constexpr std::size_t loss_kind_count = static_cast<std::size_t>(LossKind::early_end) + 1;

/// Losses by kind, each with the byte of the first: cheap enough for one per event.
class LossCount {
 public:
  void add(LossKind kind, std::uint64_t offset);
  /// An event that no rule has a use for; `category` as the file writes it, with its quotes.
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

  std::array<Entry, loss_kind_count> entries_;
  std::map<std::string, Entry, std::less<>> unknown_;
};

}  // namespace rooflab::import::kineto
