#include "rooflab/profile/profile_request.hpp"

#include <gtest/gtest.h>

namespace rooflab::profile {
namespace {

TEST(ProfileRequest, IsReadBackAsItWasWritten) {
  ProfileRequest request;
  request.folder = "/tmp/a=b c";
  request.mode = ProfileMode::totals;
  request.window = {ProfileWindow::Kind::nvtx, "step = 1:2", 0, 0};
  request.step = {StepRule::Kind::launches, 37};
  request.counters = false;
  request.cupti = "/usr/local/cuda/lib64/libcupti.so.13";
  request.limit = 12;
  request.interval_ns = 250'000;
  EXPECT_EQ(profile_request_from_text(text_of(request)), request);
}

TEST(ProfileRequest, WhatNobodyWroteIsNone) {
  EXPECT_FALSE(profile_request_from_text(""));
  EXPECT_FALSE(profile_request_from_text("mode=trace\n"));  // no folder
  EXPECT_FALSE(profile_request_from_text("folder=/tmp\nmode=everything\n"));
  EXPECT_FALSE(profile_request_from_text("folder=/tmp\ninterval_ns=0\n"));
  EXPECT_FALSE(profile_request_from_text("folder=/tmp\nnonsense\n"));
}

TEST(ProfileWindow, HasFiveKinds) {
  EXPECT_EQ(profile_window_from_text("all")->kind, ProfileWindow::Kind::all);
  EXPECT_EQ(profile_window_from_text("step")->kind, ProfileWindow::Kind::all);
  for (const StepPart part : {StepPart::forward, StepPart::backward, StepPart::both}) {
    const auto window = profile_window_from_text(name_of(part));
    ASSERT_TRUE(window);
    EXPECT_EQ(window->kind, ProfileWindow::Kind::part);
    EXPECT_EQ(window->part, part);
    EXPECT_EQ(text_of(*window), name_of(part));
  }
  EXPECT_EQ(profile_window_from_text("profiler")->kind, ProfileWindow::Kind::profiler);
  EXPECT_EQ(profile_window_from_text("nvtx:train step")->nvtx, "train step");
  const auto launches = profile_window_from_text("launches:500:237");
  ASSERT_TRUE(launches);
  EXPECT_EQ(launches->skip, 500U);
  EXPECT_EQ(launches->count, 237U);
  EXPECT_EQ(profile_window_from_text("launches:500")->count, 0U);
  for (const char* wrong : {"", "nvtx:", "launches:", "launches:a", "launches:1:", "launches:-1"}) {
    EXPECT_FALSE(profile_window_from_text(wrong)) << wrong;
  }
}

TEST(StepRule, HasThreeKinds) {
  EXPECT_EQ(step_rule_from_text("auto")->kind, StepRule::Kind::automatic);
  EXPECT_EQ(step_rule_from_text("window")->kind, StepRule::Kind::window);
  EXPECT_EQ(step_rule_from_text("launches:237")->count, 237U);
  for (const char* wrong : {"", "launches:0", "launches:", "launches:1.5", "step"}) {
    EXPECT_FALSE(step_rule_from_text(wrong)) << wrong;
  }
}

}  // namespace
}  // namespace rooflab::profile
