// Lines are put together in place, in a buffer that is passed on with write(2) whenever it holds
// about 64 KiB. The file is open for appending, so that a write is a piece of whole lines at its
// end; a process that is killed between two writes leaves whole lines, and one that is killed
// inside of a write leaves one torn line at most, the last.

#include "appended_lines.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace rooflab::profile {
namespace {

/// Length of the UTF-8 sequence at the beginning of `text`, which is not empty; 0: invalid.
/// The Unicode Standard 15.0, table 3-7.
std::size_t utf8_length(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
  };
  const auto follows = [&](std::size_t i) { return (byte(i) & 0xC0U) == 0x80U; };
  const unsigned first = byte(0);
  const unsigned second = byte(1);
  if (first < 0x80U) return 1;
  if (first >= 0xC2U && first <= 0xDFU) return follows(1) ? 2 : 0;
  if (first >= 0xE0U && first <= 0xEFU) {
    const bool overlong = first == 0xE0U && second < 0xA0U;
    const bool surrogate = first == 0xEDU && second > 0x9FU;
    return follows(1) && follows(2) && !overlong && !surrogate ? 3 : 0;
  }
  if (first >= 0xF0U && first <= 0xF4U) {
    const bool overlong = first == 0xF0U && second < 0x90U;
    const bool beyond = first == 0xF4U && second > 0x8FU;
    return follows(1) && follows(2) && follows(3) && !overlong && !beyond ? 4 : 0;
  }
  return 0;
}

}  // namespace

AppendedLines::AppendedLines(const std::string& path) noexcept : owner_(::getpid()) {
  try {
    buffer_.resize(2 * full);
  } catch (...) {
    fail(ENOMEM);
    return;
  }
  constexpr mode_t rights = 0644;
  do {
    file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, rights);
  } while (file_ < 0 && errno == EINTR);
  if (file_ < 0) {
    fail(errno);
    return;
  }
  ok_ = true;
}

AppendedLines::~AppendedLines() {
  flush();
  if (file_ >= 0) ::close(file_);
}

AppendedLines::Line& AppendedLines::Line::quoted(std::string_view value) {
  text("\"");
  while (!value.empty()) {
    const std::size_t length = utf8_length(value);
    const std::string_view letter = value.substr(0, length == 0 ? 1 : length);
    const auto code = static_cast<unsigned char>(letter.front());
    if (length == 0) {
      text("\xEF\xBF\xBD");
    } else if (code == '"' || code == '\\') {
      text("\\").text(letter);
    } else if (code < 0x20U) {
      constexpr std::string_view digits = "0123456789abcdef";
      text("\\u00").text(digits.substr(code >> 4U, 1)).text(digits.substr(code & 0xFU, 1));
    } else {
      text(letter);
    }
    value.remove_prefix(letter.size());
  }
  return text("\"");
}

void AppendedLines::flush() noexcept {
  // After a fork: the thread that held the lock does not exist any more.
  if (::getpid() != owner_) return;
  const Line lock(*this);
  pass_on();
}

bool AppendedLines::try_flush() noexcept {
  if (::getpid() != owner_) return true;
  if (busy_.test_and_set(std::memory_order_acquire)) return false;
  pass_on();
  busy_.clear(std::memory_order_release);
  busy_.notify_one();
  return true;
}

std::string AppendedLines::error() const {
  return ok() ? std::string() : std::strerror(system_error_);
}

void AppendedLines::pass_on() noexcept {
  if (::getpid() != owner_) {
    used_ = 0;
    return;
  }
  std::size_t done = 0;
  while (ok() && done < used_) {
    const ssize_t written = ::write(file_, buffer_.data() + done, used_ - done);
    if (written > 0) {
      done += static_cast<std::size_t>(written);
    } else if (written == 0 || errno != EINTR) {
      fail(written == 0 ? EIO : errno);
    }
  }
  used_ = 0;
}

void AppendedLines::fail(int system_error) noexcept {
  system_error_ = system_error;
  used_ = 0;
  ok_.store(false, std::memory_order_relaxed);
}

}  // namespace rooflab::profile
