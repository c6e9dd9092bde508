#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "event_parser.hpp"
#include "event_scanner.hpp"
#include "loss_count.hpp"
#include "system/unpacked_text.hpp"
#include "text_window.hpp"

namespace rooflab::import::kineto {

/// Reads the text of a trace from its first byte to its last: an object with a member
/// `traceEvents`, or only the list of events (Chrome's older form).
class TraceText {
 public:
  struct Handlers {
    /// Called for a member of the outermost object other than its events: key, JSON text, byte of
    /// the text.
    std::function<void(std::string_view key, std::string_view value, std::uint64_t offset)> member;
    /// Called after every window.
    std::function<void()> progress;
  };

  TraceText(UnpackedText& source, std::string file, LossCount& losses);

  [[nodiscard]] const TextWindow& window() const { return window_; }

  /// Reads the trace. Throws Error (input) without a list of events.
  void read(EventParser::Sink& events, const Handlers& handlers);

  /// Byte at which the file ends within the trace; nullopt: the trace is complete.
  [[nodiscard]] std::optional<std::uint64_t> early_end() const { return early_end_; }

  /// Whether the trace is complete, but its compressed data are damaged.
  [[nodiscard]] bool is_damaged() const { return !early_end_ && !source_.damage().empty(); }

 private:
  [[noreturn]] void fail(const std::string& message, const std::string& hint) const;
  [[nodiscard]] bool make_available(std::size_t count);
  [[nodiscard]] int peek();
  void end_early();
  /// Reads a member; false: nothing after it can be understood.
  bool read_member(EventParser::Sink& events, const Handlers& handlers);
  std::optional<std::string> take_string(std::size_t most, bool& complete);
  std::optional<std::string> take_nested(std::size_t most, bool& complete);
  std::optional<std::string> take_word(std::size_t most);
  void skip(std::size_t count) { window_.drop(count); }

  /// Reads events after the `[` of their list; false: the text ended before the list.
  bool read_events(EventParser::Sink& sink, const Handlers& handlers);
  bool resume_behind(EventScanner& scanner, std::size_t from, bool& last);
  bool resume_in_open_event(EventScanner& scanner);

  UnpackedText& source_;
  std::string file_;
  LossCount& losses_;
  TextWindow window_;
  EventParser parser_;
  std::vector<Frame> frames_;
  bool found_events_ = false;
  int resumptions_left_ = 64;  ///< each may scan the length of a whole event again
  std::optional<std::uint64_t> early_end_;
};

}  // namespace rooflab::import::kineto
