#include "cli/console.hpp"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdlib>

#include "../base/environment_variable.hpp"

namespace rooflab::cli {
namespace {

/// A terminal of some columns in place of stderr, while this lives.
class TestTerminal {
 public:
  explicit TestTerminal(unsigned short columns) : master_(::posix_openpt(O_RDWR | O_NOCTTY)) {
    EXPECT_EQ(::grantpt(master_), 0);
    EXPECT_EQ(::unlockpt(master_), 0);
    const int slave = ::open(::ptsname(master_), O_RDWR | O_NOCTTY);
    const winsize size{.ws_row = 24, .ws_col = columns, .ws_xpixel = 0, .ws_ypixel = 0};
    EXPECT_EQ(::ioctl(slave, TIOCSWINSZ, &size), 0);
    before_ = ::dup(STDERR_FILENO);
    ::dup2(slave, STDERR_FILENO);
    ::close(slave);
  }
  TestTerminal(const TestTerminal&) = delete;
  TestTerminal& operator=(const TestTerminal&) = delete;
  ~TestTerminal() {
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
    ::close(master_);
  }

  /// What was written so far, up to a mark that is written last.
  [[nodiscard]] std::string text() const {
    constexpr char mark = '\x04';
    EXPECT_EQ(::write(STDERR_FILENO, &mark, 1), 1);
    std::string all;
    char letter = 0;
    while (::read(master_, &letter, 1) == 1 && letter != mark) all += letter;
    return all;
  }

 private:
  int master_;
  int before_ = -1;
};

TEST(Console, ProgressIsCutByLettersToTheTerminalsWidth) {
  const EnvironmentVariable term("TERM", "xterm");
  const TestTerminal terminal(12);
  Console().show_progress("0123456789ab");
  Console().show_progress("größe: äöü und");
  Console().show_progress("測定中測定中測定中");
  EXPECT_EQ(terminal.text(),
            "\r0123456789…\x1b[K"
            "\rgröße: äöü…\x1b[K"
            "\r測定中測定…\x1b[K");
}

TEST(Console, ADumbTerminalGetsNoEscapeSequences) {
  const EnvironmentVariable term("TERM", "dumb");
  const TestTerminal terminal(80);
  EXPECT_FALSE(Console().shows_progress());
  Console().show_progress("case 1 of 2");
  Console().clear_progress();
  Console().error("wrong", "right");
  EXPECT_EQ(terminal.text(), "rooflab: error: wrong\r\nhint: right\r\n");
}

TEST(Console, TextIsAsWideAsTheTerminalThenAsColumnsSaysThen100) {
  const EnvironmentVariable columns("COLUMNS", "90");
  {
    const TestTerminal terminal(72);
    EXPECT_EQ(Console().style_on_stderr().width, 72U);
  }
  EXPECT_EQ(Console().style_in_file().width, 90U);
  const EnvironmentVariable senseless("COLUMNS", "7");
  EXPECT_EQ(Console().style_in_file().width, 100U);
}

TEST(Console, FlagsSayHowMuchIsPrinted) {
  Console console;
  EXPECT_FALSE(console.style_in_file().all_columns);
  EXPECT_EQ(console.style_in_file().most_notes, 3U);
  EXPECT_TRUE(console.shows_results());
  console.choose({.wide = true, .notes = true});
  EXPECT_TRUE(console.style_in_file().all_columns);
  EXPECT_EQ(console.style_in_file().most_notes, 0U);
  console.hide_results();
  EXPECT_FALSE(console.shows_results());
}

TEST(Console, QuietLeavesErrors) {
  const EnvironmentVariable term("TERM", "dumb");
  const TestTerminal terminal(80);
  Console console;
  console.choose({.quiet = true});
  console.say("a remark");
  console.print_to_stderr("a table\n");
  console.show_progress("case 1 of 2");
  console.error("wrong", "");
  EXPECT_FALSE(console.shows_results());
  EXPECT_EQ(terminal.text(), "rooflab: error: wrong\r\n");
}

}  // namespace
}  // namespace rooflab::cli
