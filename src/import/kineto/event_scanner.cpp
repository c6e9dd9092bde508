#include "event_scanner.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "text_block.hpp"

namespace rooflab::import::kineto {
namespace {

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

/// Bytes that follow a backslash. `carry`: the byte before or the last one is such a backslash.
std::uint64_t escaped_bytes(std::uint64_t backslashes, bool& carry) {
  std::uint64_t escaped = carry ? 1 : 0;
  carry = false;
  backslashes &= ~escaped;
  while (backslashes != 0) {
    const std::uint64_t next = (backslashes & (~backslashes + 1)) << 1U;
    carry = next == 0;
    escaped |= next;
    backslashes &= (backslashes - 1) & ~next;
  }
  return escaped;
}

enum class LineBegin : std::uint8_t { json, other, unknown };

/// What the line at `from` begins with. Far more blanks than an indentation are not JSON.
LineBegin line_begin(std::string_view text, std::size_t from, bool last) {
  constexpr std::size_t most_blanks = 256;
  for (std::size_t i = from; i < from + most_blanks; ++i) {
    if (i >= text.size()) return last ? LineBegin::json : LineBegin::unknown;
    if (!is_blank(text[i])) {
      return std::string_view("{}[]\"").find(text[i]) != std::string_view::npos ? LineBegin::json
                                                                                : LineBegin::other;
    }
  }
  return LineBegin::other;
}

}  // namespace

std::optional<std::size_t> EventScanner::open_event() const {
  if (depth_ == 0 || abandoned_) return std::nullopt;
  return event_;
}

std::size_t EventScanner::needed_from() const { return open_event().value_or(position_); }

std::optional<std::size_t> EventScanner::take_stray() { return std::exchange(stray_, {}); }

void EventScanner::shift(std::size_t dropped) {
  position_ -= dropped;
  event_ -= std::min(event_, dropped);
  gap_ -= std::min(gap_, dropped);
  stray_.reset();
}

void EventScanner::restart(std::size_t position) {
  const std::optional<std::size_t> stray = stray_;
  *this = EventScanner();
  stray_ = stray;
  position_ = position;
  gap_ = position;
}

void EventScanner::abandon_event() { abandoned_ = true; }

void EventScanner::check_gap(std::string_view text, std::size_t end) {
  for (; gap_ < end; ++gap_) {
    const char c = text[gap_];
    if (c == ',') {
      ++gap_commas_;
    } else if (!is_blank(c)) {
      gap_clean_ = false;
      if (!stray_) stray_ = gap_;
    }
  }
}

EventScanner::State EventScanner::scan(std::string_view text, bool last, std::vector<Frame>& frames,
                                       bool only_one) {
  State state = State::more;
  while (state == State::more && position_ < text.size()) {
    const std::size_t length = std::min(text.size() - position_, TextBlock::width);
    if (length < TextBlock::width && !last) break;
    if (!scan_block(text, length, last, frames, only_one, state)) break;
  }
  if (state == State::more && depth_ == 0) check_gap(text, position_);
  return state;
}

bool EventScanner::scan_block(std::string_view text, std::size_t length, bool last,
                              std::vector<Frame>& frames, bool only_one, State& state) {
  const char* bytes = text.data() + position_;
  std::array<char, TextBlock::width> tail{};
  if (length < TextBlock::width) {
    std::memcpy(tail.data(), bytes, length);
    bytes = tail.data();
  }
  const TextBlock block(bytes);
  bool escaped = escaped_;
  std::uint64_t quotes = block.quotes;
  if (escaped || block.backslashes != 0) quotes &= ~escaped_bytes(block.backslashes, escaped);
  const std::uint64_t strings = parity_up_to(quotes) ^ in_string_;

  std::uint64_t structure = (block.opening | block.closing) & ~strings;
  std::size_t end = length;  // of what is used of the block
  for (std::uint64_t breaks = block.line_feeds & strings; breaks != 0; breaks &= breaks - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(breaks));
    const LineBegin next = line_begin(text, position_ + i + 1, last);
    if (next == LineBegin::unknown) return false;
    if (next == LineBegin::other) continue;  // a careless writer's line feed in a name
    structure &= (std::uint64_t{1} << i) - 1;
    end = i;
    state = State::broken;
    break;
  }

  for (; structure != 0; structure &= structure - 1) {
    const auto i = static_cast<std::size_t>(std::countr_zero(structure));
    const std::size_t place = position_ + i;
    if ((block.opening >> i & 1U) != 0) {
      if (depth_++ == 0) {
        check_gap(text, place);
        event_ = place;
      }
      braces_ = braces_ << 1U | (bytes[i] == '{' ? 1U : 0U);
      known_braces_ = std::min(known_braces_ + 1, static_cast<int>(TextBlock::width));
    } else if (depth_ == 0) {
      if (bytes[i] == '}') continue;  // stray: check_gap() finds it
      check_gap(text, place);
      restart(place + 1);
      state = State::closed;
      return true;
    } else if (known_braces_ > 0 && (braces_ & 1U) != (bytes[i] == '}' ? 1U : 0U)) {
      position_ = place;
      state = State::broken;
      return true;
    } else {
      braces_ >>= 1U;
      known_braces_ = std::max(known_braces_ - 1, 0);
      if (--depth_ != 0) continue;
      if (!abandoned_) frames.push_back({event_, place + 1, gap_clean_ && gap_commas_ == 1});
      abandoned_ = false;
      gap_ = place + 1;
      gap_clean_ = true;
      gap_commas_ = 0;
      if (only_one) {
        restart(place + 1);
        state = State::closed;
        return true;
      }
    }
  }
  position_ += end;
  in_string_ = (strings >> (TextBlock::width - 1)) != 0 ? ~std::uint64_t{0} : 0;
  escaped_ = escaped;
  return true;
}

std::optional<std::size_t> next_event(std::string_view text, std::size_t from) {
  for (; (from = text.find('{', from)) != std::string_view::npos; ++from) {
    const std::size_t earliest = from - std::min(from, event_look_back);
    bool comma = false;
    for (std::size_t i = from; i > earliest; --i) {
      const char c = text[i - 1];
      if (c == '\n' || (c == '}' && comma)) return from;
      if (c == ',' && !comma) {
        comma = true;
      } else if (!is_blank(c)) {
        break;
      }
    }
  }
  return std::nullopt;
}

}  // namespace rooflab::import::kineto
