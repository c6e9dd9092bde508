#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace rooflab::import::kineto {

/// Where one event lies in the window.
struct Frame {
  std::size_t begin = 0;
  std::size_t end = 0;
  /// Nothing but blanks and one comma stand between the frame before and this one.
  bool joined = false;
};

/// Finds where each event of a list begins and ends without parsing it: braces and brackets outside
/// of strings are counted, 64 bytes at a time. The caller hands it the same text again and again,
/// grown behind; positions count from the text's beginning, and shift() follows a dropped front.
///
/// What lies broken should not take its neighbours along. A line feed never stands in a JSON
/// string; where one does and the next line begins like JSON, a quote was lost. Where `]` closes
/// `{`, a bracket was. The caller then goes on where next_event() says.
class EventScanner {
 public:
  enum class State : std::uint8_t {
    more,    ///< the text is used up
    closed,  ///< the list's `]` was found, before position()
    broken,  ///< at position() a quote or bracket proves missing; restart() is to be called
  };

  /// Scans what of `text` was not scanned; appends the frames of complete events. `last`: nothing
  /// will follow. `only_one`: closed after the first frame.
  State scan(std::string_view text, bool last, std::vector<Frame>& frames, bool only_one = false);

  /// All before it is scanned.
  [[nodiscard]] std::size_t position() const { return position_; }
  /// Inside an event: where it begins.
  [[nodiscard]] std::optional<std::size_t> open_event() const;
  /// The first byte that later calls need; the front up to it can be dropped.
  [[nodiscard]] std::size_t needed_from() const;
  /// First byte of text that is not an event between events, since the last call.
  [[nodiscard]] std::optional<std::size_t> take_stray();

  void shift(std::size_t dropped);
  /// Goes on at `position` as between events; what was open is forgotten.
  void restart(std::size_t position);
  /// The event that is open is too long to be held: its beginning is no longer needed, and it gives
  /// no frame when it ends.
  void abandon_event();

 private:
  void check_gap(std::string_view text, std::size_t end);
  /// False: the meaning of the block needs more text.
  bool scan_block(std::string_view text, std::size_t length, bool last, std::vector<Frame>& frames,
                  bool only_one, State& state);

  std::size_t position_ = 0;
  std::int64_t depth_ = 0;    ///< 0: between events
  std::uint64_t braces_ = 0;  ///< open brackets, from bit 0 outwards: 1 for {, 0 for [
  int known_braces_ = 0;      ///< bits that the text determines: not those of great depth
  std::size_t event_ = 0;     ///< where the open event begins
  std::size_t gap_ = 0;       ///< where the unchecked text between events begins
  bool abandoned_ = false;    ///< the open event
  bool gap_clean_ = false;    ///< blanks and commas only, so far
  int gap_commas_ = 0;
  std::optional<std::size_t> stray_;
  std::uint64_t in_string_ = 0;  ///< all ones: the next byte is inside a string
  bool escaped_ = false;         ///< the next byte follows a backslash
};

/// Where the next event seems to begin in broken text: a `{` that begins a line (as every event of
/// the profiler does), or comes after `},` as in a file without lines. Looked for from `from` on.
[[nodiscard]] std::optional<std::size_t> next_event(std::string_view text, std::size_t from);

/// How far next_event() looks back from a brace.
inline constexpr std::size_t event_look_back = 256;

}  // namespace rooflab::import::kineto
