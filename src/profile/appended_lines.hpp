#pragma once

#include <sys/types.h>

#include <atomic>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Uses only the standard library and POSIX, because it is part of the injected library too.
namespace rooflab::profile {

/// A file of lines that is only appended to, by several threads. Never throws: where the file
/// cannot be opened or written, or memory is short, it stops writing and ok() is false. The copy in
/// a forked process does not write.
class AppendedLines {
 public:
  class Line;

  /// Opens `path` for appending; makes it if it is missing.
  explicit AppendedLines(const std::string& path) noexcept;
  ~AppendedLines();  ///< flushes
  AppendedLines(const AppendedLines&) = delete;
  AppendedLines& operator=(const AppendedLines&) = delete;

  /// Appends the line that `parts` puts together. What throws in between (memory) turns the writing
  /// off, and the line is taken back.
  template <class Parts>
  void write(Parts parts) noexcept;

  void flush() noexcept;
  /// Flushes for a signal handler, which cannot wait; false: another thread is writing.
  bool try_flush() noexcept;

  [[nodiscard]] bool ok() const noexcept { return ok_.load(std::memory_order_relaxed); }
  /// The system's reason if ok() is false, else empty.
  [[nodiscard]] std::string error() const;

 private:
  static constexpr std::size_t full = std::size_t{64} << 10U;

  void pass_on() noexcept;
  void fail(int system_error) noexcept;

  std::atomic_flag busy_ = ATOMIC_FLAG_INIT;
  std::atomic<bool> ok_ = false;
  int system_error_ = 0;
  int file_ = -1;
  pid_t owner_ = 0;
  std::vector<char> buffer_;
  std::size_t used_ = 0;  ///< bytes used of the buffer
};

/// One line while it is put together; it holds the lock.
class AppendedLines::Line {
 public:
  explicit Line(AppendedLines& lines) noexcept : lines_(lines) {
    while (lines_.busy_.test_and_set(std::memory_order_acquire)) lines_.busy_.wait(true);
  }
  ~Line() {
    lines_.busy_.clear(std::memory_order_release);
    lines_.busy_.notify_one();
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  Line& text(std::string_view text) {
    char* place = room(text.size());
    std::memcpy(place, text.data(), text.size());
    lines_.used_ += text.size();
    return *this;
  }

  template <class Integer>
  Line& integer(Integer value) {
    return digits(value);
  }

  template <class Integer>
  Line& integer_or_null(const std::optional<Integer>& value) {
    return value ? integer(*value) : text("null");
  }

  /// The shortest text that reads back as the same number; null if it is not finite.
  Line& number(double value) { return std::isfinite(value) ? digits(value) : text("null"); }

  /// A text in quotes; bytes that are not UTF-8 become U+FFFD.
  Line& quoted(std::string_view value);

  template <class Items, class Item>
  Line& list(const Items& items, Item item) {
    text("[");
    bool first = true;
    for (const auto& each : items) {
      if (!first) text(",");
      first = false;
      item(each);
    }
    return text("]");
  }

  Line& integers(std::span<const std::uint32_t> values) {
    return list(values, [&](std::uint32_t value) { integer(value); });
  }
  Line& texts(std::span<const std::string> values) {
    return list(values, [&](const std::string& value) { quoted(value); });
  }

 private:
  template <class Number>
  Line& digits(Number value) {
    constexpr std::size_t longest = 32;
    char* place = room(longest);
    lines_.used_ +=
        static_cast<std::size_t>(std::to_chars(place, place + longest, value).ptr - place);
    return *this;
  }

  char* room(std::size_t bytes) {
    std::vector<char>& buffer = lines_.buffer_;
    if (buffer.size() - lines_.used_ < bytes) buffer.resize(2 * buffer.size() + bytes);
    return buffer.data() + lines_.used_;
  }

  AppendedLines& lines_;
};

template <class Parts>
void AppendedLines::write(Parts parts) noexcept {
  Line line(*this);
  if (!ok()) return;
  const std::size_t begin = used_;
  try {
    parts(line);
    line.text("\n");
    if (used_ >= full) pass_on();
  } catch (...) {
    used_ = begin;
    fail(ENOMEM);
  }
}

}  // namespace rooflab::profile
