#include "cli/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <stdexcept>
#include <thread>

#include "cli/commands.hpp"
#include "describe/parameter_list.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

struct NoRequest {};

/// What the program says of a command that does this.
struct Said {
  int exit_code = 0;
  std::string talk;
};
int exit_code_with(void (*work)()) {
  const std::vector<CommandSpec> commands = {command<NoRequest>(
      "work", "", Parameters(), [work](const NoRequest&, Terminal&) { work(); })};
  return run_program(commands, std::vector<std::string>{"work"});
}
Said run_with(void (*work)()) {
  ::testing::internal::CaptureStderr();
  const int exit_code = exit_code_with(work);
  return {exit_code, ::testing::internal::GetCapturedStderr()};
}

TEST(Program, AnExceptionThatNobodyExpectedIsToldAsAFault) {
  const auto expect_fault = [](void (*work)(), const std::string& what) {
    const Said said = run_with(work);
    EXPECT_EQ(said.exit_code, 2);
    EXPECT_THAT(said.talk, HasSubstr("rooflab: error: this is a fault of Rooflab: " + what + "\n"));
    EXPECT_THAT(said.talk, HasSubstr("\nhint: report it with this line"));
    EXPECT_THAT(said.talk, HasSubstr("rooflab work\n"));
  };
  expect_fault([] { throw std::logic_error("no way"); }, "no way (std::logic_error)");
  expect_fault([] { (void)std::vector<int>().at(3); },
               "vector::_M_range_check: __n (which is 3) >= this->size() (which is 0)"
               " (std::out_of_range)");
  expect_fault([] { throw 7; }, "int was thrown");
}

TEST(Program, WhatIsExpectedIsNoFault) {
  const Said error = run_with([] { throw Error(ErrorKind::capability, "no GPU", "buy one"); });
  EXPECT_EQ(error.exit_code, 3);
  EXPECT_EQ(error.talk, "rooflab: error: no GPU\nhint: buy one\n");
  const Said well = run_with([] {});
  EXPECT_EQ(well.exit_code, 0);
  EXPECT_THAT(well.talk, IsEmpty());
}

TEST(Program, TheSystemsWordOnAFileHasItsPathAndAHint) {
  const Said said = run_with([] {
    throw std::filesystem::filesystem_error("status", "/secret/x",
                                            std::make_error_code(std::errc::permission_denied));
  });
  EXPECT_EQ(said.exit_code, 2);
  EXPECT_THAT(
      said.talk,
      ::testing::StartsWith(
          "rooflab: error: cannot use '/secret/x': Permission denied\nhint: you need permission"));
}

void throw_in_thread() {
  say_faults_of_threads();
  (void)exit_code_with([] { std::thread([] { throw std::logic_error("in a thread"); }).join(); });
}

TEST(ProgramDeathTest, AThreadsExceptionIsAFaultAndNotAnAbort) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(throw_in_thread(), ::testing::ExitedWithCode(2),
              "this is a fault of Rooflab: in a thread .std::logic_error.");
}

}  // namespace
}  // namespace rooflab::cli
