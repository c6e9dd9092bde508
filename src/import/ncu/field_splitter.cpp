#include "field_splitter.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

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
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto line_feed_from = [&](const char* from) {
    const void* found =
        from == end ? nullptr : std::memchr(from, '\n', static_cast<std::size_t>(end - from));
    return found == nullptr ? end : static_cast<const char*>(found);
  };
  const SplitStatus cut = at_end ? SplitStatus::broken : SplitStatus::incomplete;
  std::size_t count = 0;
  std::size_t kept = 0;
  const auto keep = [&](const char* from, const char* to) {
    if constexpr (all) {
      fields_.emplace_back(from, static_cast<std::size_t>(to - from));
    } else if (count == columns_[kept]) {
      fields_[kept++] = {from, static_cast<std::size_t>(to - from)};
    }
    ++count;
  };
  const char* at = begin;
  const char* line_feed = line_feed_from(begin);
  while (true) {
    if (at != end && *at == '"') {
      const char* close = find_quote(at + 1, end);
      while (close != end && end - close > 1 && close[1] == '"') {
        has_doubled_quote_ = true;
        close = find_quote(close + 2, end);
      }
      while (close > line_feed) {
        if (line_feed == end || ++line_feeds_ > most_line_feeds) break;
        line_feed = line_feed_from(line_feed + 1);
      }
      if (line_feeds_ > most_line_feeds) return SplitStatus::broken;
      if (close == end) return cut;
      keep(at + 1, close);
      at = close + 1;
    } else {
      const char* comma = at;
      while (comma != end && *comma != ',' && *comma != '\n') ++comma;
      const bool carriage_return = comma != at && comma[-1] == '\r';
      const char* const bare_end = carriage_return ? comma - 1 : comma;
      if (bare_end != at) has_bare_field_ = true;
      keep(at, bare_end);
      at = comma;
    }
    if (at != end && *at == '\r') ++at;
    if (at == end) {
      if (!at_end) return SplitStatus::incomplete;
      break;
    }
    if (*at == '\n') {
      ++at;
      ++line_feeds_;
      break;
    }
    if (*at != ',') return SplitStatus::broken;
    ++at;
  }
  count_ = count;
  bytes_ = static_cast<std::size_t>(at - begin);
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
