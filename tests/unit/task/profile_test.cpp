#include "rooflab/task/profile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/base/error.hpp"

namespace rooflab::task {
namespace {

using ::testing::ElementsAre;

TEST(Profile, ReadsWindowsAndStepsOfACommandLine) {
  ProfileRequest request;
  parameters_of(For<ProfileRequest>{})
      .read(&request, {{"window", {"launches:100:50"}}, {"step", {"launches:5"}}});
  EXPECT_EQ(request.window.skip, 100U);
  EXPECT_EQ(request.window.count, 50U);
  EXPECT_EQ(request.step.count, 5U);
  EXPECT_THAT(words_of(request),
              ElementsAre("--window", "launches:100:50", "--step", "launches:5"));
}

TEST(Profile, KeepsTheFlagsOfTheProgramApart) {
  ProfileRequest request;
  request.program = {"train", "--mode", "fast"};
  request.limit = 10;
  EXPECT_EQ(command_line_of(request), "rooflab profile --limit 10 -- train --mode fast");
}

TEST(Profile, AStepOfWindowsNeedsAWindow) {
  ProfileRequest request;
  request.program = {"true"};
  request.step.kind = profile::StepRule::Kind::window;
  Session session;
  try {
    (void)run(request, session);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "--step window needs a window that opens for each step");
  }
}

}  // namespace
}  // namespace rooflab::task
