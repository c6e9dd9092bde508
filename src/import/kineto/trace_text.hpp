#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/unpacked_text.hpp"
#include "event_parser.hpp"
#include "event_scanner.hpp"
#include "loss_count.hpp"
#include "text_window.hpp"

namespace rooflab::import::kineto {

/// Walks the text of a trace from its first byte to its last: an object one of whose members is
/// `traceEvents`, or (Chrome's older form) the list of events alone.
class TraceText {
 public:
  struct Handlers {
    /// A member of the outermost object, other than its events: key, JSON text, byte of the text.
    std::function<void(std::string_view key, std::string_view value, std::uint64_t offset)> member;
    /// After every window.
    std::function<void()> progress;
  };

  TraceText(UnpackedText& source, std::string file, LossCount& losses);

  [[nodiscard]] const TextWindow& window() const { return window_; }

  /// Throws Error (input) without a list of events.
  void read(EventParser::Sink& events, const Handlers& handlers);

  /// The file ends within the trace: the byte where it does.
  [[nodiscard]] std::optional<std::uint64_t> early_end() const { return early_end_; }

  /// The trace is whole, but not the compressed data that it was in.
  [[nodiscard]] bool is_damaged() const { return !early_end_ && !source_.damage().empty(); }

 private:
  [[noreturn]] void fail(const std::string& message, const std::string& hint) const;
  [[nodiscard]] bool make_available(std::size_t count);
  [[nodiscard]] int peek();
  void end_early();
  /// False: nothing behind it can be made sense of.
  bool read_member(EventParser::Sink& events, const Handlers& handlers);
  std::optional<std::string> take_string(std::size_t most, bool& complete);
  std::optional<std::string> take_nested(std::size_t most, bool& complete);
  std::optional<std::string> take_word(std::size_t most);
  void skip(std::size_t count) { window_.drop(count); }

  /// Behind the `[` of a list of events. False: the text ended before the list did.
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
  int resumptions_left_ = 64;  ///< each may scan a whole event's length again
  std::optional<std::uint64_t> early_end_;
};

}  // namespace rooflab::import::kineto
