#include "console.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <utility>

#include "base/format.hpp"
#include "chart/safe_text.hpp"
#include "chart/text_extent.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::cli {
namespace {

/// A terminal that obeys escape sequences.
bool is_smart_terminal(int descriptor) {
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  return !dumb && ::isatty(descriptor) == 1;
}

bool wants_color(ColorChoice choice, int descriptor) {
  if (choice != ColorChoice::automatic) return choice == ColorChoice::always;
  const char* no_color = std::getenv("NO_COLOR");
  return (no_color == nullptr || *no_color == '\0') && is_smart_terminal(descriptor);
}

constexpr std::size_t most_notes = 3;
constexpr std::size_t usual_width = 100;  ///< a pipe or a file has it

/// What COLUMNS says, where it makes sense.
std::optional<int> columns_variable() {
  const char* columns = std::getenv("COLUMNS");
  const std::optional<std::int64_t> wanted = columns ? parse_integer(columns) : std::nullopt;
  if (!wanted || *wanted < 20 || *wanted > 1000) return std::nullopt;
  return static_cast<int>(*wanted);
}

std::size_t wanted_width() {
  return static_cast<std::size_t>(columns_variable().value_or(usual_width));
}

std::size_t width_of(int descriptor) {
  winsize size{};
  const bool known = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : wanted_width();
}

}  // namespace

bool Console::color_on_stderr() const { return wants_color(choice_.color, STDERR_FILENO); }

page::TextStyle Console::style(bool color, std::size_t width) const {
  return {.color = color,
          .width = width,
          .all_columns = choice_.wide,
          .most_notes = choice_.notes ? 0 : most_notes};
}

page::TextStyle Console::style_on_stdout() const {
  return style(wants_color(choice_.color, STDOUT_FILENO), width_of(STDOUT_FILENO));
}

page::TextStyle Console::style_on_stderr() const {
  return style(color_on_stderr(), width_of(STDERR_FILENO));
}

page::TextStyle Console::style_in_file() const { return style(false, wanted_width()); }
bool Console::stderr_is_terminal() const { return ::isatty(STDERR_FILENO) == 1; }
bool Console::shows_progress() const { return !choice_.quiet && is_smart_terminal(STDERR_FILENO); }

std::pair<int, int> Console::terminal_size() const {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
    return {size.ws_col, size.ws_row};
  }
  return {columns_variable().value_or(80), 24};
}

void Console::print(std::string_view text) const {
  print([text](std::ostream& stream) { stream << text; });
}

void Console::print(const std::function<void(std::ostream& stream)>& write) const {
  errno = 0;
  try {
    std::cout.exceptions(std::ios::badbit);
    write(std::cout);
    std::cout.flush();
  } catch (const std::ios::failure&) {
    std::cout.exceptions(std::ios::goodbit);
    std::cout.clear();
    // A reader that has seen enough is not an error; a full disk is one.
    if (errno == EPIPE) return;
    throw Error(ErrorKind::system, format("cannot write to stdout: {}", std::strerror(errno)));
  }
}

void Console::say(std::string_view text) const {
  if (choice_.quiet) return;
  const std::string line = format("rooflab: {}\n", chart::safe_text(text));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void Console::print_to_stderr(std::string_view text) const {
  if (choice_.quiet) return;
  std::fwrite(text.data(), 1, text.size(), stderr);
}

void Console::show_progress(std::string_view text) const {
  if (!shows_progress()) return;
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1;
  // A line that wraps could not be taken back.
  const int room = known ? size.ws_col - 1 : 79;
  const std::string line =
      format("\r{}\x1b[K", chart::elide_to_columns(chart::safe_text(text), room));
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void Console::clear_progress() const { show_progress(""); }

void Console::error(std::string_view message, std::string_view hint) const {
  const bool color = color_on_stderr();
  std::string text = format("rooflab: {}error:{} {}\n", color ? "\x1b[1;31m" : "",
                            color ? "\x1b[0m" : "", chart::safe_text(message));
  if (!hint.empty()) text += format("hint: {}\n", chart::safe_text(hint));
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace rooflab::cli
