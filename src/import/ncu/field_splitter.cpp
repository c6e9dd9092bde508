#include "field_splitter.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace rooflab::import::ncu {
namespace {

constexpr std::int64_t most_line_feeds = 64;

/// The first quote in [at, end), or end. Most fields are a few bytes long, where memchr's start
/// costs more than its search: eight bytes at a time, by the trick of finding a zero byte.
inline const char* find_quote(const char* at, const char* end) {
  constexpr std::uint64_t ones = 0x0101010101010101U;
  if constexpr (std::endian::native == std::endian::little) {
    while (end - at >= 8) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof word);
      word ^= ones * static_cast<unsigned char>('"');
      const std::uint64_t zeros = (word - ones) & ~word & (ones << 7U);
      if (zeros != 0) return at + std::countr_zero(zeros) / 8;
      at += 8;
    }
  }
  while (at != end && *at != '"') ++at;
  return at;
}

}  // namespace

FieldSplitter::FieldSplitter(std::span<const std::size_t> columns)
    : keep_all_(false), columns_(columns.begin(), columns.end()), fields_(columns.size()) {
  columns_.push_back(static_cast<std::size_t>(-1));
}

SplitStatus FieldSplitter::split(std::string_view text, bool at_end) {
  return keep_all_ ? split_as<true>(text, at_end) : split_as<false>(text, at_end);
}

/// Where the record is read: a place in the text, and the end of the line that it is on.
class FieldSplitter::Cursor {
 public:
  Cursor(std::string_view text, FieldSplitter& splitter)
      : end_(text.data() + text.size()),
        at_(text.data()),
        line_feed_(line_feed_from(at_)),
        splitter_(splitter) {}

  [[nodiscard]] const char* at() const { return at_; }
  [[nodiscard]] bool at_end() const { return at_ == end_; }
  [[nodiscard]] bool is_at(char c) const { return at_ != end_ && *at_ == c; }
  void step() { ++at_; }

  /// Reads a field between quotes; nullopt: no quote closes it, or it goes over too many lines.
  [[nodiscard]] std::optional<std::string_view> quoted() {
    const char* const begin = at_ + 1;
    const char* close = find_quote(begin, end_);
    while (close != end_ && end_ - close > 1 && close[1] == '"') {
      splitter_.has_doubled_quote_ = true;
      close = find_quote(close + 2, end_);
    }
    while (close > line_feed_) {
      if (line_feed_ == end_ || ++splitter_.line_feeds_ > most_line_feeds) break;
      line_feed_ = line_feed_from(line_feed_ + 1);
    }
    if (close == end_ || is_too_long()) return std::nullopt;
    at_ = close + 1;
    return std::string_view(begin, static_cast<std::size_t>(close - begin));
  }
  [[nodiscard]] bool is_too_long() const { return splitter_.line_feeds_ > most_line_feeds; }

  [[nodiscard]] std::string_view bare() {
    const char* const begin = at_;
    while (at_ != end_ && *at_ != ',' && *at_ != '\n') ++at_;
    const bool carriage_return = at_ != begin && at_[-1] == '\r';
    const char* const end = carriage_return ? at_ - 1 : at_;
    if (end != begin) splitter_.has_bare_field_ = true;
    return {begin, static_cast<std::size_t>(end - begin)};
  }

 private:
  [[nodiscard]] const char* line_feed_from(const char* from) const {
    const void* const found =
        from == end_ ? nullptr : std::memchr(from, '\n', static_cast<std::size_t>(end_ - from));
    return found == nullptr ? end_ : static_cast<const char*>(found);
  }

  const char* end_;
  const char* at_;
  const char* line_feed_;
  FieldSplitter& splitter_;
};

template <bool all>
SplitStatus FieldSplitter::split_as(std::string_view text, bool at_end) {
  if constexpr (all) {
    fields_.clear();
  } else {
    std::ranges::fill(fields_, std::string_view{});
  }
  line_feeds_ = 0;
  has_bare_field_ = false;
  has_doubled_quote_ = false;
  std::size_t count = 0;
  std::size_t kept = 0;
  const auto keep = [&](std::string_view field) {
    if constexpr (all) {
      fields_.push_back(field);
    } else if (count == columns_[kept]) {
      fields_[kept++] = field;
    }
    ++count;
  };
  Cursor cursor(text, *this);
  while (true) {
    if (cursor.is_at('"')) {
      const auto field = cursor.quoted();
      if (!field) {
        return at_end || cursor.is_too_long() ? SplitStatus::broken : SplitStatus::incomplete;
      }
      keep(*field);
    } else {
      keep(cursor.bare());
    }
    if (cursor.is_at('\r')) cursor.step();
    if (cursor.at_end()) {
      if (!at_end) return SplitStatus::incomplete;
      break;
    }
    if (cursor.is_at('\n')) {
      cursor.step();
      ++line_feeds_;
      break;
    }
    if (!cursor.is_at(',')) return SplitStatus::broken;
    cursor.step();
  }
  count_ = count;
  bytes_ = static_cast<std::size_t>(cursor.at() - text.data());
  if (has_doubled_quote_) unescape();
  return SplitStatus::complete;
}

void FieldSplitter::unescape() {
  unescaped_.resize(fields_.size());
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].find("\"\"") == std::string_view::npos) continue;
    std::string& plain = unescaped_[i];
    plain.clear();
    for (std::size_t j = 0; j < fields_[i].size(); ++j) {
      plain += fields_[i][j];
      if (fields_[i].substr(j, 2) == "\"\"") ++j;
    }
    fields_[i] = plain;
  }
}

}  // namespace rooflab::import::ncu
