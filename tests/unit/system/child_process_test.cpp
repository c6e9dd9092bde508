#include "system/child_process.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <vector>

#include "../base/environment_variable.hpp"
#include "../base/thrown_error.hpp"
#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab {
namespace {

namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using testing::ElementsAre;

ChildResult shell(const std::string& script, const ChildOptions& options = {}) {
  const std::vector<std::string> arguments = {"-c", script};
  return run_child("/bin/sh", arguments, options);
}

double seconds_since(steady_clock::time_point start) {
  return std::chrono::duration<double>(steady_clock::now() - start).count();
}

TEST(ChildProcess, GetsItsInputAndGivesOutputAndErrors) {
  const ChildResult result = shell("cat; echo trouble >&2", {.input = "line 1\nline 2"});
  EXPECT_EQ(result.output, "line 1\nline 2");
  EXPECT_EQ(result.errors, "trouble\n");
  EXPECT_EQ(result.exit_status, 0);
  EXPECT_FALSE(result.timed_out);
  EXPECT_FALSE(result.stopped);
}

// Where the caller ignores the ends of its children the system forgets how they ended.
TEST(ChildProcess, WhoseEndTheSystemForgotIsAnError) {
  struct sigaction ignore {};
  struct sigaction before {};
  ignore.sa_handler = SIG_IGN;
  ASSERT_EQ(::sigaction(SIGCHLD, &ignore, &before), 0);
  const std::string message = thrown_message(ErrorKind::capability, [] { (void)shell("exit 0"); });
  ::sigaction(SIGCHLD, &before, nullptr);
  EXPECT_EQ(message, "cannot learn how a child ended: No child processes");
}

TEST(ChildProcess, WhatItLeavesRunningIsNotWaitedFor) {
  const auto start = steady_clock::now();
  const ChildResult result = shell("sleep 60 & echo $!; exit 3", {.timeout = milliseconds(50'000)});
  EXPECT_LT(seconds_since(start), 20.0);
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(::kill(std::stoi(result.output), SIGKILL), 0);
}

TEST(ChildProcess, WhatItLeavesTalkingIsReadNoLongerThanThereIsTime) {
  const auto start = steady_clock::now();
  const ChildResult result = shell("yes & exit 3", {.timeout = milliseconds(500)});
  EXPECT_LT(seconds_since(start), 20.0);
  EXPECT_EQ(result.exit_status, 3);
}

TEST(ChildProcess, HasAnEmptyInputByDefault) {
  const ChildResult result = shell("cat; echo end", {.timeout = milliseconds(5000)});
  EXPECT_EQ(result.output, "end\n");
  EXPECT_FALSE(result.timed_out);
}

TEST(ChildProcess, GetsArgumentsAsTheyAre) {
  const std::vector<std::string> arguments = {"-c",   "printf '<%s>' \"$@\"", "sh", "a b", "",
                                              "$HOME"};
  EXPECT_EQ(run_child("/bin/sh", arguments).output, "<a b><><$HOME>");
}

// More than a pipe holds, in both directions and on both streams at once.
TEST(ChildProcess, PassesMoreThanAPipeHolds) {
  const std::string input(3'000'000, 'x');
  const ChildResult result =
      shell("tee /dev/stderr", {.input = input, .timeout = milliseconds(20000)});
  EXPECT_TRUE(result.output == input) << result.output.size();
  EXPECT_TRUE(result.errors == input) << result.errors.size();
}

TEST(ChildProcess, TellsItsExitStatus) { EXPECT_EQ(shell("exit 7").exit_status, 7); }

TEST(ChildProcess, TellsTheSignalThatEndedIt) {
  EXPECT_EQ(shell("kill -KILL $$").exit_status, 128 + 9);
  EXPECT_EQ(shell("kill -SEGV $$").exit_status, 128 + 11);
}

TEST(ChildProcess, RunsInTheCLocale) {
  const EnvironmentVariable language("LC_NUMERIC", "de_DE.UTF-8");
  const EnvironmentVariable other("ROOFLAB_TEST_VARIABLE", "kept");
  EXPECT_EQ(shell("echo \"$LC_ALL|$LC_NUMERIC|$ROOFLAB_TEST_VARIABLE\"").output, "C.UTF-8||kept\n");
}

TEST(ChildProcess, IsKilledWhenTimeIsUp) {
  const auto start = steady_clock::now();
  const ChildResult result = shell("echo begun; exec sleep 30", {.timeout = milliseconds(300)});
  EXPECT_TRUE(result.timed_out);
  EXPECT_FALSE(result.stopped);
  EXPECT_EQ(result.exit_status, 128 + 9);
  EXPECT_EQ(result.output, "begun\n");
  EXPECT_GE(seconds_since(start), 0.3);
  EXPECT_LT(seconds_since(start), 5.0);
}

TEST(ChildProcess, IsKilledInTimeThoughItClosedItsOutput) {
  const auto start = steady_clock::now();
  const ChildResult result = shell("exec >&- 2>&-; exec sleep 30", {.timeout = milliseconds(300)});
  EXPECT_TRUE(result.timed_out);
  EXPECT_EQ(result.exit_status, 128 + 9);
  EXPECT_LT(seconds_since(start), 5.0);
}

TEST(ChildProcess, MayTidyUpWhenItIsStopped) {
  bool begun = false;
  std::string output;
  ChildOptions options;
  options.on_output = [&](std::string_view piece) {
    output += piece;
    begun = true;
  };
  options.should_stop = [&] { return begun; };
  const auto start = steady_clock::now();
  const ChildResult result =
      shell("trap 'echo bye; exit 3' TERM; echo begun; while :; do sleep 0.05; done", options);
  EXPECT_TRUE(result.stopped);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_status, 3);
  EXPECT_EQ(output, "begun\nbye\n");
  EXPECT_LT(seconds_since(start), 1.9);  // long before SIGKILL
}

TEST(ChildProcess, IsKilledTwoSecondsAfterItWasAskedToEnd) {
  bool begun = false;
  ChildOptions options;
  options.on_output = [&](std::string_view) { begun = true; };
  options.should_stop = [&] { return begun; };
  const auto start = steady_clock::now();
  const ChildResult result =
      shell("trap '' TERM; echo begun; while :; do sleep 0.05; done", options);
  EXPECT_TRUE(result.stopped);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_status, 128 + 9);
  EXPECT_GE(seconds_since(start), 2.0);
  EXPECT_LT(seconds_since(start), 6.0);
}

// Ten times a second, more or less, even of a child that closed its output.
TEST(ChildProcess, AsksNowAndThenWhetherToStop) {
  for (const char* const script : {"exec sleep 1", "exec >&- 2>&-; exec sleep 1"}) {
    int asked = 0;
    ChildOptions options;
    options.should_stop = [&asked] {
      ++asked;
      return false;
    };
    const ChildResult result = shell(script, options);
    EXPECT_FALSE(result.stopped);
    EXPECT_GE(asked, 5) << script;
    EXPECT_LE(asked, 50) << script;
  }
}

TEST(ChildProcess, GivesItsOutputPieceByPiece) {
  std::vector<std::string> pieces;
  ChildOptions options;
  options.on_output = [&](std::string_view piece) { pieces.emplace_back(piece); };
  const ChildResult result = shell("printf one; sleep 0.4; printf two", options);
  EXPECT_THAT(pieces, ElementsAre("one", "two"));
  EXPECT_EQ(result.output, "");
}

TEST(ChildProcess, KeepsTheEndOfItsErrors) {
  EXPECT_EQ(shell("printf 0123456789 >&2", {.kept_errors = 4}).errors, "6789");
  EXPECT_EQ(shell("printf 0123456789 >&2", {.kept_errors = 10}).errors, "0123456789");
  EXPECT_EQ(shell("printf 0123456789 >&2", {.kept_errors = 0}).errors, "");
  const std::string input(1'000'000, 'x');
  const ChildResult result = shell("cat >&2; printf end >&2", {.input = input, .kept_errors = 5});
  EXPECT_EQ(result.errors, "xxend");
}

TEST(ChildProcess, IsKilledWhenItSaysTooMuch) {
  const ChildResult result = shell("yes", {.most_output = 100'000});
  EXPECT_TRUE(result.said_too_much);
  EXPECT_FALSE(result.timed_out);
  EXPECT_EQ(result.exit_status, 128 + 9);
  EXPECT_LE(result.output.size(), 100'000U);
  const ChildResult enough = shell("printf 0123456789", {.most_output = 10});
  EXPECT_FALSE(enough.said_too_much);
  EXPECT_EQ(enough.output, "0123456789");
}

// Batch systems send them to all processes of a job, some time before its end.
TEST(ChildProcess, IsNotEndedByWhatABatchSystemAnnounces) {
  EXPECT_EQ(shell("kill -USR1 $$; kill -USR2 $$; echo alive").output, "alive\n");
}

TEST(ChildProcess, ThatCannotBeStartedIsAnError) {
  EXPECT_EQ(
      thrown_message(ErrorKind::capability, [] { return run_child("/nonexistent/program", {}); }),
      "cannot start /nonexistent/program: No such file or directory");
  EXPECT_EQ(thrown_message(ErrorKind::capability, [] { return run_child("/etc/passwd", {}); }),
            "cannot start /etc/passwd: Permission denied");
}

TEST(ChildProcess, IsInTheGroupOfThisProcessOrInItsOwn) {
  // Field 5 of proc(5)'s stat; the shell's name, field 2, holds no blank.
  const std::string group = "cut -d ' ' -f 5 /proc/$$/stat; echo $$";
  const std::vector<std::string> shared = split(shell(group).output, '\n');
  ASSERT_EQ(shared.size(), 3U);
  EXPECT_EQ(shared[0], std::to_string(::getpgrp()));
  EXPECT_NE(shared[0], shared[1]);
  const std::vector<std::string> own = split(shell(group, {.own_group = true}).output, '\n');
  ASSERT_EQ(own.size(), 3U);
  EXPECT_EQ(own[0], own[1]);
}

// The shell's own child holds the output open: it must hear of the end at once.
TEST(ChildProcess, ItsWholeGroupIsStopped) {
  bool begun = false;
  ChildOptions options;
  options.on_output = [&](std::string_view) { begun = true; };
  options.should_stop = [&] { return begun; };
  options.own_group = true;
  const auto start = steady_clock::now();
  const ChildResult result = shell("sleep 30 & echo begun; wait", options);
  EXPECT_TRUE(result.stopped);
  EXPECT_EQ(result.exit_status, 128 + 15);
  EXPECT_LT(seconds_since(start), 1.9);
}

TEST(ChildProcess, IsKilledWhenACallbackThrows) {
  pid_t child = 0;
  ChildOptions options;
  options.on_output = [&](std::string_view piece) {
    child = static_cast<pid_t>(std::stoi(std::string(piece)));
    throw std::runtime_error("enough");
  };
  const auto start = steady_clock::now();
  EXPECT_THROW((void)shell("echo $$; exec sleep 30", options), std::runtime_error);
  EXPECT_LT(seconds_since(start), 5.0);
  ASSERT_GT(child, 0);
  EXPECT_EQ(::kill(child, 0), -1);  // gone, and waited for
  EXPECT_EQ(errno, ESRCH);
}

/// A separate folder for each test, gone afterwards.
class FindProgram : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "test-of-path-XXXXXX").string();
    ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] fs::path add(const fs::path& name, fs::perms permissions) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << "#!/bin/sh\n";
    fs::permissions(folder_ / name, permissions);
    return folder_ / name;
  }
  [[nodiscard]] std::string in(std::string_view name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

TEST_F(FindProgram, TakesTheFirstExecutableOfThePath) {
  (void)add("data/tool", fs::perms::owner_read);
  fs::create_directories(folder_ / "folders/tool");
  const fs::path first = add("first/tool", fs::perms::owner_all);
  const fs::path second = add("second/tool", fs::perms::owner_all);
  const EnvironmentVariable path(
      "PATH", join(std::vector<std::string>{in("none"), in("folders"), in("data"), in("first"),
                                            in("second")},
                   ":"));
  EXPECT_EQ(find_program("tool"), first);
  EXPECT_EQ(find_program("other"), std::nullopt);
}

TEST_F(FindProgram, DoesNotLookIntoTheCurrentFolder) {
  (void)add("tool", fs::perms::owner_all);
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  const EnvironmentVariable path("PATH", ":/nonexistent:");
  EXPECT_EQ(find_program("tool"), std::nullopt);
  fs::current_path(before);
}

}  // namespace
}  // namespace rooflab
