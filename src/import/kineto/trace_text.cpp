#include "trace_text.hpp"

#include <algorithm>
#include <utility>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"
#include "token.hpp"

namespace rooflab::import::kineto {
namespace {

constexpr std::size_t largest_event = std::size_t{16} << 20U;
constexpr std::size_t largest_member = std::size_t{1} << 20U;
constexpr std::size_t longest_key = 4096;
constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

constexpr std::string_view foreign_hint =
    "a trace is what torch.profiler's export_chrome_trace() or tensorboard_trace_handler() writes";

}  // namespace

TraceText::TraceText(UnpackedText& source, std::string file, LossCount& losses)
    : source_(source), file_(std::move(file)), losses_(losses), window_(source) {}

void TraceText::fail(const std::string& message, const std::string& hint) const {
  throw Error(ErrorKind::input, message, hint,
              Location{file_, {}, {}, static_cast<std::int64_t>(window_.offset())});
}

bool TraceText::make_available(std::size_t count) {
  while (window_.size() < count) {
    if (!window_.more()) return false;
  }
  return true;
}

/// The next byte that is not a blank, which is then the window's first; -1 at the end.
int TraceText::peek() {
  while (true) {
    const std::size_t next = window_.text().find_first_not_of(" \t\r\n");
    if (next != std::string_view::npos) {
      window_.drop(next);
      return static_cast<unsigned char>(window_.text().front());
    }
    window_.drop(window_.size());
    if (!window_.more()) return -1;
  }
}

void TraceText::end_early() {
  if (early_end_) return;
  early_end_ = window_.offset() + window_.size();
  losses_.add(LossKind::early_end, *early_end_);
}

void TraceText::read(EventParser::Sink& events, const Handlers& handlers) {
  if (make_available(byte_order_mark.size()) && window_.text().starts_with(byte_order_mark)) {
    window_.drop(byte_order_mark.size());
  }
  const int first = peek();
  if (first < 0) {
    const std::string why = source_.damage().empty() ? "it is empty" : source_.damage();
    fail(format("cannot read the trace: {}", why), "record it again");
  }
  if (first != '{' && first != '[') {
    fail("this is not a trace of the PyTorch profiler: it is not JSON", std::string(foreign_hint));
  }
  skip(1);
  if (first == '[') {
    const int next = peek();
    if (next != '{' && next != ']') {
      fail("this is not a trace of the PyTorch profiler: it is a list, but not of events",
           std::string(foreign_hint));
    }
    found_events_ = true;
    if (!read_events(events, handlers)) end_early();
  } else {
    while (read_member(events, handlers)) {
    }
  }
  if (!found_events_) {
    fail("this is not a trace of the PyTorch profiler: it has no list 'traceEvents'",
         early_end_ ? "the file ends early: record it again" : std::string(foreign_hint));
  }
  if (!early_end_ && peek() >= 0) losses_.add(LossKind::text_behind, window_.offset());
  // The checksum of what was read is at the very end of the file.
  do {
    window_.drop(window_.size());
    if (handlers.progress) handlers.progress();
  } while (window_.more());
  if (is_damaged()) losses_.add(LossKind::damaged_archive, window_.offset());
}

bool TraceText::read_member(EventParser::Sink& events, const Handlers& handlers) {
  int next = peek();
  while (next == ',') {
    skip(1);
    next = peek();
  }
  if (next == '}') {
    skip(1);
    return false;
  }
  bool complete = next >= 0;
  std::optional<std::string> key;
  if (next == '"') key = take_string(longest_key, complete);
  const bool colon = key && complete && peek() == ':';
  if (colon) {
    skip(1);
    next = peek();
  }
  if (colon && next == '[' && *key == "\"traceEvents\"") {
    skip(1);
    found_events_ = true;
    if (read_events(events, handlers)) return true;
    end_early();
    return false;
  }
  const std::uint64_t offset = window_.offset();
  std::optional<std::string> value;
  if (colon && next >= 0) {
    if (next == '"') {
      value = take_string(largest_member, complete);
    } else if (next == '{' || next == '[') {
      value = take_nested(largest_member, complete);
    } else {
      value = take_word(largest_member);
    }
  }
  if (!complete || peek() < 0) {
    end_early();
    return false;
  }
  if (!colon || (value && value->empty())) {
    if (!found_events_) fail("the trace is not valid JSON here", "record it again");
    return false;  // counted as text behind the trace
  }
  if (value) {
    handlers.member(std::string_view(*key).substr(1, key->size() - 2), *value, offset);
  } else {
    losses_.add(LossKind::large_member, offset);
  }
  return true;
}

/// The string that begins here, quotes and escapes as they are; nullopt: longer than `most`, and
/// stepped over. `complete`: it has an end.
std::optional<std::string> TraceText::take_string(std::size_t most, bool& complete) {
  std::string taken;
  bool fits = true;
  std::size_t i = 1;
  while (true) {
    const std::string_view text = window_.text();
    while (i < text.size() && text[i] != '"') i += text[i] == '\\' ? 2 : 1;
    if (i < text.size()) break;
    if (window_.size() > most) {
      fits = false;
      const std::size_t size = window_.size();
      i -= size;  // 1 where the window ends between a backslash and what it escapes
      window_.drop(size);
    }
    if (!window_.more()) {
      complete = false;
      return std::nullopt;
    }
  }
  fits = fits && i < most;
  if (fits) taken = window_.text().substr(0, i + 1);
  window_.drop(i + 1);
  return fits ? std::optional<std::string>(std::move(taken)) : std::nullopt;
}

/// Skips an object or a list.
std::optional<std::string> TraceText::take_nested(std::size_t most, bool& complete) {
  EventScanner scanner;
  std::vector<Frame> frames;
  bool last = false;
  while (true) {
    const EventScanner::State state = scanner.scan(window_.text(), last, frames, true);
    if (state == EventScanner::State::closed) break;
    if (last || state == EventScanner::State::broken) {
      complete = false;
      return std::nullopt;
    }
    if (window_.size() > most) scanner.abandon_event();
    const std::size_t dropped = scanner.needed_from();
    window_.drop(dropped);
    scanner.shift(dropped);
    last = !window_.more();
  }
  std::optional<std::string> taken;
  if (!frames.empty() && frames.front().end <= most) {
    taken = window_.text().substr(0, frames.front().end);
  }
  window_.drop(scanner.position());
  return taken;
}

/// Takes a number or a literal of at most `most` characters.
std::optional<std::string> TraceText::take_word(std::size_t most) {
  std::size_t end = 0;
  while ((end = window_.text().find_first_of(",}] \t\r\n")) == std::string_view::npos) {
    if (window_.size() > most) window_.drop(window_.size());
    if (!window_.more()) break;
  }
  end = std::min(end, window_.size());
  std::string taken(window_.text().substr(0, end));
  window_.drop(end);
  return taken;
}

bool TraceText::read_events(EventParser::Sink& sink, const Handlers& handlers) {
  EventScanner scanner;
  bool last = false;
  while (true) {
    frames_.clear();
    const EventScanner::State state = scanner.scan(window_.text(), last, frames_);
    parser_.parse(window_.begin(), frames_, sink);
    if (const auto stray = scanner.take_stray()) {
      losses_.add(LossKind::stray_text, window_.offset() + *stray);
    }
    if (handlers.progress) handlers.progress();
    const std::optional<std::size_t> open = scanner.open_event();
    if (state == EventScanner::State::closed) {
      window_.drop(scanner.position());
      return true;
    }
    if (state == EventScanner::State::broken) {
      // What is missing may be missing from an event long before.
      if (open && resume_in_open_event(scanner)) continue;
      const std::size_t first = open.value_or(scanner.position());
      losses_.add(open ? LossKind::lost_event : LossKind::stray_text, window_.offset() + first);
      if (!resume_behind(scanner, scanner.position(), last)) return false;
      continue;
    }
    if (last) {
      if (open && resume_in_open_event(scanner)) continue;
      if (open) losses_.add(LossKind::cut_event, window_.offset() + *open);
      return false;
    }
    if (open && scanner.position() - *open > largest_event) {
      losses_.add(LossKind::large_event, window_.offset() + *open);
      // It may be that long, or have lost a bracket long ago.
      if (resume_in_open_event(scanner)) continue;
      scanner.abandon_event();
    }
    const std::size_t dropped = scanner.needed_from();
    window_.drop(dropped);
    scanner.shift(dropped);
    last = !window_.more();
  }
}

/// Goes on at the next place where an event seems to begin. False: not found.
bool TraceText::resume_behind(EventScanner& scanner, std::size_t from, bool& last) {
  while (true) {
    if (const auto next = next_event(window_.text(), from)) {
      scanner.restart(*next);
      return true;
    }
    // An event is recognised by the text before it, which may be the last that was read.
    const std::size_t kept = std::min(window_.size(), event_look_back);
    window_.drop(window_.size() - kept);
    from = kept;
    last = !window_.more();
    if (last) return false;
  }
}

/// Goes on at the next event within one whose end is not in sight.
bool TraceText::resume_in_open_event(EventScanner& scanner) {
  if (resumptions_left_ == 0) return false;
  const std::size_t open = *scanner.open_event();
  const auto next = next_event(window_.text().substr(0, scanner.position()), open + 1);
  if (!next) return false;
  --resumptions_left_;
  losses_.add(LossKind::lost_event, window_.offset() + open);
  scanner.restart(*next);
  return true;
}

}  // namespace rooflab::import::kineto
