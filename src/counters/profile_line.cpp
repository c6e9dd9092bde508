#include "profile_line.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>

namespace rooflab::counters {
namespace {

constexpr std::size_t piece = std::size_t{1} << 20U;
/// A step of ten million launches fits.
constexpr std::size_t longest_line = std::size_t{64} << 20U;

void skip_blanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
}

}  // namespace

bool LineSource::fill() {
  if (begin_ > 0) {
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  if (buffer_.size() - end_ < piece) buffer_.resize(end_ + piece);
  const std::size_t count = source_.read(buffer_.data() + end_, piece);
  end_ += count;
  return count > 0;
}

std::optional<LineSource::Line> LineSource::next() {
  std::size_t searched = 0;
  while (true) {
    const char* const data = buffer_.data() + begin_;
    const std::size_t length = end_ - begin_;
    const void* const found =
        length > searched ? std::memchr(data + searched, '\n', length - searched) : nullptr;
    if (found != nullptr) {
      const auto size = static_cast<std::size_t>(static_cast<const char*>(found) - data);
      begin_ += size + 1;
      return Line{{data, size}, ++number_, true, false};
    }
    searched = length;
    if (length > longest_line) {
      // Its end is looked for without keeping what is in between.
      bool whole = false;
      begin_ = end_;
      while (!whole && fill()) {
        const char* const more = buffer_.data() + begin_;
        const void* const end = std::memchr(more, '\n', end_ - begin_);
        whole = end != nullptr;
        begin_ = whole ? begin_ + static_cast<std::size_t>(static_cast<const char*>(end) - more) + 1
                       : end_;
      }
      return Line{{}, ++number_, whole, true};
    }
    if (fill()) continue;
    if (end_ == begin_) return std::nullopt;
    const Line line = {{buffer_.data() + begin_, end_ - begin_}, ++number_, false, false};
    begin_ = end_;
    return line;
  }
}

bool ListItems::begins(std::string_view kind) {
  constexpr std::string_view open = "[\"";
  if (!rest_.starts_with(open) || !rest_.substr(open.size()).starts_with(kind)) return false;
  rest_.remove_prefix(open.size() + kind.size());
  if (!rest_.starts_with('"')) return false;
  rest_.remove_prefix(1);
  return true;
}

bool ListItems::comma() {
  skip_blanks(rest_);
  if (!rest_.starts_with(',')) return false;
  rest_.remove_prefix(1);
  skip_blanks(rest_);
  return true;
}

template <class Integer>
bool ListItems::integer(Integer& value) {
  if (!comma()) return false;
  const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
  if (error != std::errc{}) return false;
  rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  return true;
}
template bool ListItems::integer(std::int64_t& value);
template bool ListItems::integer(std::int32_t& value);
template bool ListItems::integer(std::uint32_t& value);
template bool ListItems::integer(std::uint64_t& value);

bool ListItems::number(double& value) {
  if (!comma()) return false;
  constexpr std::string_view null = "null";
  if (rest_.starts_with(null)) {
    rest_.remove_prefix(null.size());
    value = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
  if (error != std::errc{}) return false;
  rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
  return true;
}

bool ListItems::ends() {
  skip_blanks(rest_);
  if (!rest_.starts_with(']')) return false;
  rest_.remove_prefix(1);
  skip_blanks(rest_);
  return rest_.empty() || rest_ == "\r";
}

}  // namespace rooflab::counters
