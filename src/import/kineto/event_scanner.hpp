#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rooflab::import::kineto {

/// Place of one event in the window.
struct Frame {
  std::size_t begin = 0;
  std::size_t end = 0;
  /// Whether only blanks and one comma are between the previous frame and this one.
  bool joined = false;
};

/// Finds the begin and end of each event in a list without parsing it: it counts braces and
/// brackets outside of strings, 64 bytes at a time. The caller passes the text repeatedly as it
/// grows at its end; positions count from the text's beginning, and shift() follows a dropped
/// front.
///
/// A broken event should not affect its neighbours. A line feed never occurs in a JSON string: if
/// there is one and the next line begins like JSON, a quote was lost. If `]` closes `{`, a bracket
/// was lost. The caller then continues at next_event().
class EventScanner {
 public:
  enum class State : std::uint8_t {
    more,    ///< the end of the text was reached
    closed,  ///< the list's `]` was found, before position()
    broken,  ///< a quote or bracket is missing before position(); call restart()
  };

  /// Scans the new part of `text` and appends the frames of complete events. `last`: nothing will
  /// follow. `only_one`: closed after the first frame.
  State scan(std::string_view text, bool last, std::vector<Frame>& frames, bool only_one = false);

  /// Position up to which the text is scanned.
  [[nodiscard]] std::size_t position() const { return position_; }
  /// Begin of the open event; nullopt: not inside an event.
  [[nodiscard]] std::optional<std::size_t> open_event() const;
  /// The first byte that later calls need; the front up to it can be dropped.
  [[nodiscard]] std::size_t needed_from() const;
  /// First byte of text that is not an event between events, since the last call.
  [[nodiscard]] std::optional<std::size_t> take_stray();

  void shift(std::size_t dropped);
  /// Continues at `position` as between events; an open event is forgotten.
  void restart(std::size_t position);
  /// Gives up the open event because it is too long to keep: its beginning is no longer needed, and
  /// it gives no frame when it ends.
  void abandon_event();

 private:
  void check_gap(std::string_view text, std::size_t end);
  /// Scans one block; false: its meaning depends on more text.
  bool scan_block(std::string_view text, std::size_t length, bool last, std::vector<Frame>& frames,
                  bool only_one, State& state);

  std::size_t position_ = 0;
  std::int64_t depth_ = 0;    ///< 0: between events
  std::uint64_t braces_ = 0;  ///< open brackets, from bit 0 outwards: 1 for {, 0 for [
  int known_braces_ = 0;      ///< number of valid bits in `braces_`, limited at great depth
  std::size_t event_ = 0;     ///< begin of the open event
  std::size_t gap_ = 0;       ///< begin of the unchecked text between events
  bool abandoned_ = false;    ///< whether the open event is given up
  bool gap_clean_ = false;    ///< blanks and commas only, so far
  int gap_commas_ = 0;
  std::optional<std::size_t> stray_;
  std::uint64_t in_string_ = 0;  ///< all ones: the next byte is inside a string
  bool escaped_ = false;         ///< the next byte follows a backslash
};

/// Probable begin of the next event in broken text, from `from` on: a `{` that begins a line (as
/// every event of the profiler does), or follows `},` in a file without lines.
[[nodiscard]] std::optional<std::size_t> next_event(std::string_view text, std::size_t from);

/// Number of bytes that next_event() looks back from a brace.
inline constexpr std::size_t event_look_back = 256;

}  // namespace rooflab::import::kineto
