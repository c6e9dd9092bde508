#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rooflab::import::kineto {

/// Keys of an event that are used: its own fields, then those of its `args`.
enum class Key : std::uint8_t {
  ph,
  cat,
  name,
  ts,
  dur,
  pid,
  tid,
  args,
  external_id,
  correlation,
  sequence,
  input_dims,
  input_type,
  concrete_inputs,
  device,
  stream,
  grid,
  block,
  registers,
  shared_memory,
  blocks_per_sm,
  warps_per_sm,
  occupancy,
  bytes,
  device_type,
  device_id,
  total_allocated,
  total_reserved,
  collective,
  elements_in,
  elements_out,
  dtype,
  group_size,
  process_name,  ///< `name` inside of `args`
  none,          ///< not used
};
inline constexpr std::size_t key_count = static_cast<std::size_t>(Key::none);

/// The key that begins at `text`, after its quote. Reads at least eight bytes, and never past a
/// closing quote after these.
[[nodiscard]] Key event_key(const char* text);
[[nodiscard]] Key argument_key(const char* text);

/// The values of one event as they are written, without surrounding blanks. They refer to the text.
class EventFields {
 public:
  void clear() { present_ = 0; }
  void set(Key key, std::string_view token) {
    twice_ |= present_ & bit(key);
    present_ |= bit(key);
    tokens_[static_cast<std::size_t>(key)] = token;
  }
  [[nodiscard]] bool has(Key key) const { return (present_ & bit(key)) != 0; }
  /// Value of a key; empty: not there.
  [[nodiscard]] std::string_view operator[](Key key) const {
    return has(key) ? tokens_[static_cast<std::size_t>(key)] : std::string_view();
  }
  [[nodiscard]] bool empty() const { return present_ == 0; }
  /// Whether a key was set twice since the last call; the last value counts.
  [[nodiscard]] bool take_twice() {
    const bool twice = twice_ != 0;
    twice_ = 0;
    return twice;
  }

 private:
  static std::uint64_t bit(Key key) { return std::uint64_t{1} << static_cast<unsigned>(key); }

  std::uint64_t present_ = 0;
  std::uint64_t twice_ = 0;
  std::array<std::string_view, key_count> tokens_;
};

/// Kind of an event by its phase letter and category.
enum class EventKind : std::uint8_t {
  unused,  ///< flows, sort orders, spans of the profiler: not in a record
  op,
  annotation,
  device_annotation,
  runtime,
  overhead,
  kernel,
  memcpy,
  memset,
  collective,     ///< message of a device without NCCL
  python,         ///< a Python function
  counter_range,  ///< counters of a range of kernels, by an old profiler
  memory,         ///< a change of an allocator
  process_name,
  other,  ///< unknown category; counted
};

/// Kind by `ph`, `cat` (in any case; old traces write `Kernel`, `Operator`, ...), `name` and `pid`.
[[nodiscard]] EventKind kind_of(const EventFields& fields);
/// Whether events with this `ph` can be used.
[[nodiscard]] bool is_used_phase(std::string_view ph);

}  // namespace rooflab::import::kineto
