#include "system/process_start.hpp"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "system/pipe.hpp"

namespace rooflab {
namespace {

using std::chrono::steady_clock;

ProcessStart shell_start(const std::string& script) {
  ProcessStart start;
  start.words = {"sh", "-c", script};
  start.variables = {"PATH=/usr/bin:/bin"};
  return start;
}

/// Wait status of a child.
int status_of(const StartedProcess& child) {
  int status = -1;
  EXPECT_EQ(child.error, 0);
  while (::waitpid(child.pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

int exit_code_of(const ProcessStart& start) { return WEXITSTATUS(status_of(start_process(start))); }

/// Runs in a separate process, which the caller kills, and in a separate process group.
template <class Function>
pid_t fork_to(Function&& function) {
  const pid_t pid = ::fork();
  if (pid != 0) return pid;
  ::setpgid(0, 0);
  function();
  ::_exit(0);
}

/// Reaps children, orphans that became ours among them, until none is left: false when some of the
/// group live on after a time that is long under any load of the machine. These are ended here.
bool all_end(pid_t group) {
  const auto begin = steady_clock::now();
  while (true) {
    const pid_t ended = ::waitpid(-1, nullptr, WNOHANG);
    if (ended < 0 && errno == ECHILD) return true;
    if (ended > 0) continue;
    if (steady_clock::now() - begin > std::chrono::seconds(20)) {
      ::kill(-group, SIGKILL);
      return false;
    }
    ::usleep(1000);
  }
}

/// Orphans come to this process, which can then see their end.
class Orphans : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::prctl(PR_SET_CHILD_SUBREAPER, 1), 0); }
  void TearDown() override { ::prctl(PR_SET_CHILD_SUBREAPER, 0); }
};

// A parent that does nothing but start children, killed at several moments: most are between fork
// and exec of one of them.
TEST_F(Orphans, ThereAreNoneAtAnyMomentOfTheStart) {
  for (int i = 0; i < 20; ++i) {
    Pipe begun;
    const pid_t parent = fork_to([&] {
      ProcessStart start = shell_start("exec sleep 600");
      start.ends_with_us = true;
      while (true) {
        (void)start_process(start);
        (void)!::write(begun.write_end.number(), "x", 1);
      }
    });
    char byte = 0;
    ASSERT_EQ(::read(begun.read_end.number(), &byte, 1), 1);
    ::usleep(static_cast<useconds_t>(173 * i));
    ::kill(parent, SIGKILL);
    ASSERT_TRUE(all_end(parent)) << "moment " << i;
  }
}

TEST_F(Orphans, LiveOnWhereNobodyAskedForTheirEnd) {
  Pipe told;
  const pid_t parent = fork_to([&] {
    const pid_t pid = start_process(shell_start("exec sleep 600")).pid;
    (void)!::write(told.write_end.number(), &pid, sizeof pid);
    ::pause();
  });
  pid_t child = 0;
  ASSERT_EQ(::read(told.read_end.number(), &child, sizeof child),
            static_cast<ssize_t>(sizeof child));
  ::kill(parent, SIGKILL);
  ASSERT_EQ(::waitpid(parent, nullptr, 0), parent);
  EXPECT_EQ(::kill(child, SIGTERM), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WTERMSIG(status), SIGTERM);
}

TEST(ProcessStart, HasTheSignalsThatItIsGiven) {
  ProcessStart start = shell_start("kill -USR1 $$; exit 3");
  EXPECT_EQ(WTERMSIG(status_of(start_process(start))), SIGUSR1);
  start.ignored_signals = {SIGUSR1};
  EXPECT_EQ(exit_code_of(start), 3);

  ::signal(SIGPIPE, SIG_IGN);
  ProcessStart piped = shell_start("kill -PIPE $$; exit 4");
  EXPECT_EQ(exit_code_of(piped), 4);
  piped.default_signals = {SIGPIPE};
  EXPECT_EQ(WTERMSIG(status_of(start_process(piped))), SIGPIPE);
  ::signal(SIGPIPE, SIG_DFL);

  // The shell's end is that of a signal that waits until it is no longer blocked.
  sigset_t blocked;
  ::sigemptyset(&blocked);
  ::sigaddset(&blocked, SIGUSR2);
  ProcessStart masked = shell_start("kill -USR2 $$; exit 5");
  masked.blocked_signals = blocked;
  EXPECT_EQ(exit_code_of(masked), 5);
}

TEST(ProcessStart, SaysWhyItWasNot) {
  ProcessStart start;
  start.words = {"/nonexistent/program"};
  EXPECT_EQ(start_process(start).error, ENOENT);
  start.words = {"/etc/passwd"};
  EXPECT_EQ(start_process(start).error, EACCES);
  EXPECT_EQ(::waitpid(-1, nullptr, WNOHANG), -1);  // nothing is left to wait for
}

// Of a program that was started with its own streams closed, the pipe's ends have their numbers.
TEST(ProcessStart, PlacesStreamsThatLieInEachOthersWay) {
  const pid_t child = fork_to([] {
    ::close(0);
    ::close(1);
    ::close(2);
    Pipe input;   // 0 and 1
    Pipe output;  // 2 and 3
    ProcessStart start = shell_start("read -r word; [ \"$word\" = hello ] && echo yes; exit 6");
    start.streams = {input.read_end.number(), output.write_end.number(), output.write_end.number()};
    (void)!::write(input.write_end.number(), "hello\n", 6);
    const int code = exit_code_of(start);
    char said[4] = {};
    const bool right = ::read(output.read_end.number(), said, 4) == 4 && said[0] == 'y';
    ::_exit(right ? code : 1);
  });
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 6);
}

}  // namespace
}  // namespace rooflab
