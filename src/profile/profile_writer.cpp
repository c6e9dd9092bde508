// Lines are put together in place, in a buffer that is passed on with write(2) whenever it holds
// about 64 KiB. The file is open for appending, so that a write is a piece of whole lines at its
// end; a process that is killed between two writes leaves whole lines, and one that is killed
// inside of a write leaves one torn line at most, the last.

#include "profile_writer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

namespace rooflab::profile {
namespace {

constexpr std::size_t full = std::size_t{64} << 10U;

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

/// One line while it is put together; it holds the lock. What throws in between (memory) turns the
/// writer off, and the line is taken back.
class ProfileWriter::Line {
 public:
  explicit Line(ProfileWriter& writer) noexcept : writer_(writer), begin_(0) {
    while (writer_.busy_.test_and_set(std::memory_order_acquire)) writer_.busy_.wait(true);
    begin_ = writer_.used_;
  }
  ~Line() {
    writer_.busy_.clear(std::memory_order_release);
    writer_.busy_.notify_one();
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  /// Writes what `parts` puts into the line.
  template <class Parts>
  void write(Parts parts) noexcept {
    if (!writer_.ok()) return;
    try {
      parts(*this);
      text("\n");
      if (writer_.used_ >= full) writer_.pass_on();
    } catch (...) {
      writer_.used_ = begin_;
      writer_.fail(ENOMEM);
    }
  }

  Line& text(std::string_view text) {
    char* place = room(text.size());
    std::memcpy(place, text.data(), text.size());
    writer_.used_ += text.size();
    return *this;
  }

  template <class Integer>
  Line& integer(Integer value) {
    constexpr std::size_t longest = 24;
    char* place = room(longest);
    writer_.used_ +=
        static_cast<std::size_t>(std::to_chars(place, place + longest, value).ptr - place);
    return *this;
  }

  template <class Integer>
  Line& integer_or_null(const std::optional<Integer>& value) {
    return value ? integer(*value) : text("null");
  }

  /// The shortest text that reads back as the same number; null if it is not finite.
  Line& number(double value) {
    if (!std::isfinite(value)) return text("null");
    constexpr std::size_t longest = 32;
    char* place = room(longest);
    writer_.used_ +=
        static_cast<std::size_t>(std::to_chars(place, place + longest, value).ptr - place);
    return *this;
  }

  /// A text in quotes; bytes that are not UTF-8 become U+FFFD.
  Line& quoted(std::string_view value) {
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
  char* room(std::size_t bytes) {
    std::vector<char>& buffer = writer_.buffer_;
    if (buffer.size() - writer_.used_ < bytes) buffer.resize(2 * buffer.size() + bytes);
    return buffer.data() + writer_.used_;
  }

  ProfileWriter& writer_;
  std::size_t begin_;
};

ProfileWriter::ProfileWriter(const std::string& path) noexcept : owner_(::getpid()) {
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

ProfileWriter::~ProfileWriter() {
  flush();
  if (file_ >= 0) ::close(file_);
}

void ProfileWriter::head(const ProfileHead& head) noexcept {
  Line(*this).write([&](Line& line) {
    line.text(R"({"rooflab_profile":1,"pid":)").integer(head.pid);
    line.text(",\"host\":").quoted(head.host);
    line.text(",\"command\":").texts(head.command);
    line.text(",\"executable\":").quoted(head.executable);
    line.text(",\"rank\":").integer_or_null(head.rank);
    line.text(",\"world_size\":").integer_or_null(head.world_size);
    line.text(",\"unix_ns\":").integer(head.unix_ns);
    line.text(",\"clock_ns\":").integer(head.clock_ns);
    line.text(",\"mode\":").quoted(head.mode);
    line.text(",\"window\":").quoted(head.window);
    line.text(",\"step\":").quoted(head.step);
    if (!head.counters) line.text(",\"counters\":false");
    line.text(",\"cupti\":").quoted(head.cupti);
    line.text(",\"cupti_path\":").quoted(head.cupti_path).text("}");
  });
}

void ProfileWriter::device(const ProfileDevice& device) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("{\"device\":").integer(device.index);
    line.text(",\"name\":").quoted(device.name);
    line.text(",\"uuid\":").quoted(device.uuid);
    line.text(",\"chip\":").quoted(device.chip);
    line.text(",\"compute_capability\":").quoted(device.compute_capability);
    line.text(",\"multiprocessors\":").integer_or_null(device.multiprocessors);
    line.text(",\"memory_bytes\":").integer_or_null(device.memory_bytes);
    line.text(",\"driver\":").quoted(device.driver).text("}");
  });
}

void ProfileWriter::signature(std::uint32_t id, const ProfileKernel& kernel) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("{\"kernel\":").integer(id).text(",\"name\":").quoted(kernel.name);
    line.text(",\"grid\":").integers(kernel.grid).text(",\"block\":").integers(kernel.block);
    if (kernel.dynamic_bytes > 0) line.text(",\"dynamic\":").integer(kernel.dynamic_bytes);
    line.text(",\"registers\":").integer_or_null(kernel.registers);
    line.text(",\"shared\":").integer_or_null(kernel.shared_bytes).text("}");
  });
}

void ProfileWriter::kernel(std::uint32_t id, std::int32_t device, std::int32_t stream,
                           std::int64_t start_ns, std::int64_t duration_ns,
                           std::uint32_t correlation, std::uint64_t node) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("[\"k\",").integer(id).text(",").integer(device).text(",").integer(stream);
    line.text(",").integer(start_ns).text(",").integer(duration_ns).text(",").integer(correlation);
    if (node != 0) line.text(",").integer(node);
    line.text("]");
  });
}

void ProfileWriter::copy(bool fill, std::uint8_t direction, std::int32_t device,
                         std::int32_t stream, std::int64_t start_ns, std::int64_t duration_ns,
                         std::int64_t bytes, std::uint32_t correlation) noexcept {
  Line(*this).write([&](Line& line) {
    line.text(fill ? "[\"m\",1," : "[\"m\",0,").integer(unsigned{direction});
    line.text(",").integer(device).text(",").integer(stream).text(",").integer(start_ns);
    line.text(",").integer(duration_ns).text(",").integer(bytes).text(",").integer(correlation);
    line.text("]");
  });
}

void ProfileWriter::timed_steps(std::int64_t steps, std::int64_t ns) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("{\"timed_steps\":").integer(steps).text(",\"ns\":").integer(ns).text("}");
  });
}

void ProfileWriter::step_begin(std::int64_t launch, std::int64_t ns) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("{\"step_begin\":").integer(launch).text(",\"ns\":").integer(ns).text("}");
  });
}

void ProfileWriter::step_broke(std::int64_t ns) noexcept {
  Line(*this).write([&](Line& line) { line.text("{\"step_broke\":").integer(ns).text("}"); });
}

void ProfileWriter::sequence(std::span<const std::uint32_t> launches) noexcept {
  Line(*this).write([&](Line& line) { line.text("{\"sequence\":").integers(launches).text("}"); });
}

void ProfileWriter::ops_in(std::string_view recording) noexcept {
  Line(*this).write([&](Line& line) { line.text("{\"ops_in\":").quoted(recording).text("}"); });
}

void ProfileWriter::op_launch(std::uint32_t id, std::int64_t op,
                              std::uint32_t correlation) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("[\"o\",").integer(id).text(",").integer(op).text(",").integer(correlation);
    line.text("]");
  });
}

void ProfileWriter::range(std::string_view names) noexcept {
  Line(*this).write([&](Line& line) { line.text("{\"range\":").quoted(names).text("}"); });
}

void ProfileWriter::node(std::uint64_t id, std::int32_t recording, std::int64_t op,
                         std::int32_t range) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("[\"n\",").integer(id).text(",").integer(recording).text(",").integer(op);
    line.text(",").integer(range).text("]");
  });
}

void ProfileWriter::set(std::size_t index, CountedUnit unit,
                        std::span<const std::string> metrics) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("{\"set\":").integer(index).text(",\"per\":");
    line.quoted(name_of(unit)).text(",\"metrics\":").texts(metrics).text("}");
  });
}

void ProfileWriter::values(std::size_t set, std::size_t ordinal, std::uint32_t id,
                           std::span<const double> values) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("[\"v\",").integer(set).text(",").integer(ordinal).text(",").integer(id);
    for (const double value : values) line.text(",").number(value);
    line.text("]");
  });
}

void ProfileWriter::totals(std::size_t set, std::span<const double> values) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("{\"totals\":").list(values, [&](double value) { line.number(value); });
    line.text(",\"set\":").integer(set).text("}");
  });
}

void ProfileWriter::set_done(std::size_t set, int passes, std::int64_t arming_ns,
                             std::int64_t wall_ns, std::int64_t launches,
                             std::int64_t dropped) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("{\"set_done\":").integer(set).text(",\"passes\":").integer(passes);
    line.text(",\"arming_ns\":").integer(arming_ns).text(",\"wall_ns\":").integer(wall_ns);
    line.text(",\"launches\":").integer(launches).text(",\"dropped\":").integer(dropped).text("}");
  });
}

void ProfileWriter::counting_wall(std::int64_t wall_ns, std::int64_t arming_ns) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("{\"counting_wall_ns\":").integer(wall_ns);
    line.text(",\"arming_ns\":").integer(arming_ns).text("}");
  });
}

void ProfileWriter::peaks(std::span<const std::pair<std::string, double>> peaks) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("{\"peaks\":{");
    bool first = true;
    for (const auto& [metric, value] : peaks) {
      if (!first) line.text(",");
      first = false;
      line.quoted(metric).text(":").number(value);
    }
    line.text("}}");
  });
}

void ProfileWriter::message(std::uint32_t launch, const ProfileMessage& message) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("{\"message\":").quoted(name_of(message.collective)).text(",\"launch\":");
    line.integer(launch).text(",\"elements\":").integer(message.elements).text(",\"type\":");
    line.quoted(message.type).text(",\"ranks\":").integer(message.ranks).text("}");
  });
}

void ProfileWriter::untraced(std::int64_t start_ns, std::int64_t end_ns) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("{\"untraced\":[").integer(start_ns).text(",").integer(end_ns).text("]}");
  });
}

void ProfileWriter::launch_values(std::size_t set, std::uint32_t id,
                                  std::span<const double> values) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("[\"g\",").integer(set).text(",").integer(id);
    for (const double value : values) line.text(",").number(value);
    line.text("]");
  });
}

void ProfileWriter::launched(std::span<const std::uint64_t> launches, std::int64_t elapsed_ns,
                             std::int64_t counting_ns) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("{\"launched\":");
    line.list(launches, [&](std::uint64_t count) { line.integer(count); });
    line.text(",\"elapsed_ns\":").integer(elapsed_ns);
    line.text(",\"counting_ns\":").integer(counting_ns).text("}");
  });
}

void ProfileWriter::sampling(int device, std::span<const std::string> metrics,
                             std::int64_t interval_ns) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("{\"sampling\":{\"device\":").integer(device);
    line.text(",\"metrics\":").texts(metrics);
    line.text(",\"interval_ns\":").integer(interval_ns).text("}}");
  });
}

void ProfileWriter::sample(std::int64_t start_ns, std::int64_t end_ns,
                           std::span<const double> values) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("[\"s\",").integer(start_ns).text(",").integer(end_ns);
    for (const double value : values) line.text(",").number(value);
    line.text("]");
  });
}

void ProfileWriter::sampling_window(std::int64_t ns) noexcept {
  Line(*this).write(
      [&](Line& line) { line.text("{\"sampling_window_ns\":").integer(ns).text("}"); });
}

void ProfileWriter::gpm(const record::GpmShares& shares) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("{\"gpm\":[");
    bool first = true;
    for (const record::GpmFigure& figure : record::gpm_figures) {
      if (!std::exchange(first, false)) line.text(",");
      line.number((shares.*figure).value_or(std::numeric_limits<double>::quiet_NaN()));
    }
    line.text("]}");
  });
}

void ProfileWriter::warning(std::string_view text, std::string_view hint) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("{\"warning\":").quoted(text).text(",\"hint\":").quoted(hint).text("}");
  });
}

void ProfileWriter::lost(std::string_view what, std::int64_t count) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("{\"lost\":").quoted(what).text(",\"count\":").integer(count).text("}");
  });
}

void ProfileWriter::end(std::string_view how, std::int64_t kernels) noexcept {
  Line(*this).write([&](Line& line) {
    line.text("{\"end\":").quoted(how).text(",\"kernels\":").integer(kernels).text("}");
  });
  flush();
}

void ProfileWriter::flush() noexcept {
  // After a fork: the thread that held the lock does not exist any more.
  if (::getpid() != owner_) return;
  const Line lock(*this);
  pass_on();
}

bool ProfileWriter::try_flush() noexcept {
  if (::getpid() != owner_) return true;
  if (busy_.test_and_set(std::memory_order_acquire)) return false;
  pass_on();
  busy_.clear(std::memory_order_release);
  busy_.notify_one();
  return true;
}

std::string ProfileWriter::error() const {
  return ok() ? std::string() : std::strerror(system_error_);
}

void ProfileWriter::pass_on() noexcept {
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

void ProfileWriter::fail(int system_error) noexcept {
  system_error_ = system_error;
  used_ = 0;
  ok_.store(false, std::memory_order_relaxed);
}

}  // namespace rooflab::profile
