#include "profile/step_detector.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <vector>

namespace rooflab::profile {
namespace {

using Sequence = std::vector<std::uint64_t>;

/// A program as the detector sees it. Launches follow one another by 10 us, and the host does
/// something else for 5 ms before each step.
struct Program {
  StepDetector detector;
  double now_s = 0.0;
  std::vector<StepEvent> events;
  Sequence launched;

  StepEvent launch(std::uint64_t kernel, double gap_s = 10e-6) {
    now_s += gap_s;
    events.push_back(detector.before_launch(kernel, now_s));
    launched.push_back(kernel);
    return events.back();
  }
  void run(const Sequence& sequence, double gap_s = 5e-3) {
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      launch(sequence[i], i == 0 ? gap_s : 10e-6);
    }
  }
  [[nodiscard]] std::size_t count(StepEvent event, std::size_t since = 0) const {
    return static_cast<std::size_t>(
        std::count(events.begin() + static_cast<std::ptrdiff_t>(since), events.end(), event));
  }
  /// Kernels that `begins` was said of.
  [[nodiscard]] Sequence beginnings(std::size_t since = 0) const {
    Sequence kernels;
    for (std::size_t i = since; i < events.size(); ++i) {
      if (events[i] == StepEvent::begins) kernels.push_back(launched[i]);
    }
    return kernels;
  }
  /// Launches before the first `begins`.
  [[nodiscard]] std::size_t search() const {
    return static_cast<std::size_t>(std::find(events.begin(), events.end(), StepEvent::begins) -
                                    events.begin());
  }
};

Sequence counted(std::uint64_t first, std::size_t count) {
  Sequence sequence(count);
  for (std::size_t i = 0; i < count; ++i) sequence[i] = first + i;
  return sequence;
}

void append(Sequence& to, const Sequence& more, int times = 1) {
  for (int i = 0; i < times; ++i) to.insert(to.end(), more.begin(), more.end());
}

/// Embedding, 12 equal layers, loss, the same backward, and an optimizer of 20 equal groups:
/// 2 + 12 * 10 + 3 + 12 * 21 + 20 * 2 = 417 launches.
Sequence transformer() {
  Sequence step = counted(1, 2);
  append(step, counted(100, 10), 12);
  append(step, counted(10, 3));
  append(step, counted(200, 21), 12);
  append(step, counted(300, 2), 20);
  return step;
}

TEST(LaunchCountSteps, CountsLaunches) {
  LaunchCountSteps steps(3);
  EXPECT_EQ(steps.launches_per_step(), 3U);
  std::vector<StepEvent> events;
  for (int i = 0; i < 5; ++i) events.push_back(steps.before_launch(7, 0.0));
  using enum StepEvent;
  EXPECT_EQ(events, (std::vector{begins, inside, inside, begins, inside}));
  EXPECT_EQ(LaunchCountSteps(0).launches_per_step(), 1U);
}

TEST(StepDetector, ALoopOfOneKernel) {
  Program program;
  for (int i = 0; i < 300; ++i) program.launch(7, 3e-3);
  EXPECT_EQ(program.detector.launches_per_step(), 1U);
  EXPECT_EQ(program.events.back(), StepEvent::begins);
  EXPECT_GE(program.search(), 49U);  // not before the fiftieth
  EXPECT_LE(program.search(), 60U);
  EXPECT_EQ(program.count(StepEvent::begins), 300 - program.search());
}

TEST(StepDetector, AQuickLoopHasToGoOnForATenthOfASecondOrAThousandTimes) {
  Program program;
  for (int i = 0; i < 9'000; ++i) program.launch(7, 1e-6);
  EXPECT_GE(program.search(), 999U);
  EXPECT_LE(program.search(), 1130U);
}

TEST(StepDetector, ASlowLoopIsFoundBeforeFiftyRepetitions) {
  Program program;
  for (int i = 0; i < 10; ++i) program.run(counted(1, 20), 0.4);
  EXPECT_EQ(program.detector.launches_per_step(), 20U);
  ASSERT_FALSE(program.beginnings().empty());
  EXPECT_EQ(program.beginnings().front(), 1U);
  EXPECT_LE(program.search(), 8U * 20);
}

TEST(StepDetector, TwiceIsNoRepetition) {
  Program program;
  program.run(counted(1, 50), 3.0);
  program.run(counted(1, 50), 3.0);
  EXPECT_EQ(program.detector.launches_per_step(), 0U);
  EXPECT_EQ(program.count(StepEvent::searching), 100U);
}

TEST(StepDetector, LayersAreNoSteps) {
  Program program;
  const Sequence step = transformer();
  ASSERT_EQ(step.size(), 417U);
  for (int i = 0; i < 400; ++i) program.run(step);
  EXPECT_EQ(program.detector.launches_per_step(), 417U);
  EXPECT_EQ(program.detector.generation(), 1U);
  const Sequence beginnings = program.beginnings();
  EXPECT_TRUE(std::ranges::all_of(beginnings, [](std::uint64_t kernel) { return kernel == 1; }));
  EXPECT_GE(beginnings.size(), 250U);
  EXPECT_EQ(program.count(StepEvent::broke), 0U);
}

// 20 ms a launch: a second has gone by within a few layers, so that layers are taken for steps at
// first. Doubling the proof finds the step all the same.
TEST(StepDetector, LayersThatTakeSecondsAreRuledOutOneByOne) {
  Program program;
  const Sequence step = transformer();
  for (int i = 0; i < 20; ++i) {
    for (const std::uint64_t kernel : step) program.launch(kernel, 20e-3);
  }
  EXPECT_EQ(program.detector.launches_per_step(), 417U);
  EXPECT_GE(program.detector.generation(), 2U);
  EXPECT_EQ(program.events.back(), StepEvent::inside);
}

// A cell of three kernels 512 times forward, one of six 512 times backward: far more than fifty.
TEST(StepDetector, TimeStepsOfARecurrentNetworkAreRuledOut) {
  Program program;
  Sequence step = counted(1, 4);
  append(step, counted(10, 3), 512);
  append(step, counted(20, 6), 512);
  append(step, counted(30, 5));
  for (int i = 0; i < 30; ++i) program.run(step);
  EXPECT_EQ(program.detector.launches_per_step(), 4U + 9 * 512 + 5);
  EXPECT_EQ(program.beginnings(20 * step.size()), Sequence(10, 1U));
}

// The same with 1 ms a launch: half a second of cells is taken for steps at first, and each time
// that they come again. They are a third of all launches.
TEST(StepDetector, ARepetitionThatIsTheLesserPartIsForgotten) {
  Program program;
  Sequence step = counted(1, 4);
  append(step, counted(10, 3), 512);
  append(step, counted(500, 3000));
  for (int i = 0; i < 30; ++i) {
    for (const std::uint64_t kernel : step) program.launch(kernel, 1e-3);
  }
  EXPECT_EQ(program.detector.launches_per_step(), 4U + 3 * 512 + 3000);
  EXPECT_EQ(program.events.back(), StepEvent::inside);
}

TEST(StepDetector, AStepBeginsWhereTheHostWaits) {
  Program program;
  // The recording begins in the middle of a step: kernels 5 to 9 come before 1.
  program.run(counted(5, 5), 0.0);
  for (int i = 0; i < 100; ++i) program.run(counted(1, 9));
  EXPECT_EQ(program.detector.launches_per_step(), 9U);
  ASSERT_FALSE(program.beginnings().empty());
  EXPECT_EQ(program.beginnings().front(), 1U);
  // Where nothing tells, with the first launch of all.
  Program even;
  for (int i = 0; i < 3000; ++i) even.run(counted(1, 9), 10e-6);
  ASSERT_FALSE(even.beginnings().empty());
  EXPECT_EQ(even.beginnings().front(), 1U);
}

TEST(StepDetector, AnExtraKernelCostsItsStepOnly) {
  Program program;
  const Sequence step = counted(1, 100);
  const int steps = 400;
  for (int i = 1; i <= steps; ++i) {
    for (std::size_t k = 0; k < step.size(); ++k) {
      if (i % 10 == 0 && k == 60) program.launch(999);
      program.launch(step[k], k == 0 ? 5e-3 : 10e-6);
    }
  }
  EXPECT_EQ(program.detector.launches_per_step(), 100U);
  const std::size_t since = 200 * 100 + 20;  // 20 extra ones by then
  EXPECT_EQ(program.count(StepEvent::broke, since), 20U);
  EXPECT_EQ(program.count(StepEvent::begins, since), 200U);  // the broken ones begin as well
}

TEST(StepDetector, AnExtraKernelBetweenStepsVoidsNone) {
  Program program;
  for (int i = 1; i <= 400; ++i) {
    if (i % 20 == 0) program.launch(999);
    program.run(counted(1, 100));
  }
  EXPECT_EQ(program.detector.launches_per_step(), 100U);
  const std::size_t since = 200 * 100 + 10;
  EXPECT_EQ(program.count(StepEvent::broke, since), 10U);
  EXPECT_EQ(program.count(StepEvent::begins, since), 200U);
  EXPECT_EQ(program.count(StepEvent::searching, since), 0U);
}

TEST(StepDetector, WarmUpStepsOfTheirOwn) {
  Program program;
  for (int i = 0; i < 5; ++i) {  // algorithms are tried out
    Sequence step = counted(1, 30);
    append(step, counted(1000 + 100 * static_cast<std::uint64_t>(i), 70));
    append(step, counted(31, 60));
    program.run(step, 0.5);
  }
  for (int i = 0; i < 200; ++i) program.run(counted(1, 90));
  EXPECT_EQ(program.detector.launches_per_step(), 90U);
  EXPECT_EQ(program.detector.generation(), 1U);
  ASSERT_FALSE(program.beginnings().empty());
  EXPECT_EQ(program.beginnings().front(), 1U);
  EXPECT_EQ(program.count(StepEvent::broke), 0U);
}

// A learning rate that warms up takes a kernel more a step, for 70 steps.
TEST(StepDetector, AProgramThatChangesForGoodIsFollowed) {
  Program program;
  Sequence before = counted(1, 50);
  append(before, counted(900, 20));
  for (int i = 0; i < 70; ++i) program.run(before);
  EXPECT_EQ(program.detector.launches_per_step(), 70U);
  for (int i = 0; i < 400; ++i) program.run(counted(1, 50));
  EXPECT_EQ(program.detector.launches_per_step(), 50U);
  EXPECT_EQ(program.detector.generation(), 2U);
  EXPECT_EQ(program.events.back(), StepEvent::inside);
}

TEST(StepDetector, ValidationsInBetweenLeaveTheStepAlone) {
  Program program;
  const Sequence train = counted(1, 80);
  Sequence validate = counted(1, 25);  // forward begins alike
  append(validate, counted(500, 5));
  for (int epoch = 0; epoch < 10; ++epoch) {
    for (int i = 0; i < 200; ++i) program.run(train);
    for (int i = 0; i < 120; ++i) program.run(validate);
  }
  EXPECT_EQ(program.detector.launches_per_step(), 80U);
  EXPECT_EQ(program.detector.generation(), 1U);
  EXPECT_EQ(program.count(StepEvent::broke), 10U);
  // An epoch is 200 * 80 + 120 * 30 launches. In the last one the first step is looked out for; 199
  // begin, and the validation's first launch, which is that of a step as well, begins another.
  EXPECT_EQ(program.count(StepEvent::begins, 9 * 19600), 200U);
}

TEST(StepDetector, MicroBatchesAreNoSteps) {
  Program program;
  Sequence step;
  append(step, counted(1, 60), 8);
  append(step, counted(400, 3));  // a fused optimizer: little, but every eight
  for (int i = 0; i < 120; ++i) program.run(step);
  EXPECT_EQ(program.detector.launches_per_step(), 483U);
  EXPECT_EQ(program.events.back(), StepEvent::inside);
}

TEST(StepDetector, ManyMicroBatchesWithAnOptimizerAreNoSteps) {
  Program program;
  Sequence step;
  append(step, counted(1, 60), 32);
  append(step, counted(400, 30));
  for (int i = 0; i < 60; ++i) program.run(step);
  EXPECT_EQ(program.detector.launches_per_step(), 32U * 60 + 30);
  EXPECT_EQ(program.events.back(), StepEvent::inside);
}

// 80 layers of 12 launches, 7 further launches; the host is held up, 2 ms a launch.
TEST(StepDetector, DeepInferenceIsRepeatedAsAWhole) {
  for (const double launch_s : {5e-6, 2e-3}) {
    Program program;
    Sequence step = counted(1, 3);
    append(step, counted(100, 12), 80);
    append(step, counted(10, 4));
    for (int i = 0; i < 400; ++i) {
      for (const std::uint64_t kernel : step) program.launch(kernel, launch_s);
    }
    EXPECT_EQ(program.detector.launches_per_step(), 967U) << launch_s;
    EXPECT_EQ(program.detector.generation(), launch_s < 1e-3 ? 1U : 2U);
  }
}

TEST(StepDetector, TwoStepsInTurnAreOne) {
  Program program;
  for (int i = 0; i < 100; ++i) {
    program.run(counted(1, 40));    // discriminator
    program.run(counted(200, 30));  // generator
  }
  EXPECT_EQ(program.detector.launches_per_step(), 70U);
  EXPECT_EQ(program.count(StepEvent::broke), 0U);
}

TEST(StepDetector, WhatNeverRepeatsIsNeverFound) {
  Program program;
  std::uint64_t state = 1;
  for (int i = 0; i < 300'000; ++i) {
    state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth, MMIX
    program.launch(state >> 60U);                                 // sixteen kernels in no order
  }
  EXPECT_EQ(program.detector.launches_per_step(), 0U);
  EXPECT_EQ(program.count(StepEvent::begins), 0U);
}

TEST(StepDetector, AShortHistoryBoundsWhatIsFound) {
  StepDetector detector({.history = 1000});
  double now_s = 0.0;
  for (int i = 0; i < 100; ++i) {
    for (int k = 0; k < 300; ++k) (void)detector.before_launch(k, now_s += 3e-3);
  }
  EXPECT_EQ(detector.launches_per_step(), 0U);  // three periods are less than half of 1000
  for (int i = 0; i < 100; ++i) {
    for (int k = 0; k < 100; ++k) (void)detector.before_launch(k, now_s += 3e-3);
  }
  EXPECT_EQ(detector.launches_per_step(), 100U);
}

TEST(StepDetector, StepsOfManyLaunchesTakeLittleTime) {
  Program program;
  Sequence step;
  append(step, counted(1, 990), 100);
  append(step, counted(5000, 1000));
  ASSERT_EQ(step.size(), 100'000U);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 12; ++i) program.run(step, 0.5);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  EXPECT_EQ(program.detector.launches_per_step(), 100'000U);
  EXPECT_EQ(program.events.back(), StepEvent::inside);
  EXPECT_LT(taken.count(), 10.0);  // about 0.1 s; a quadratic search takes hours
}

// A graph is replayed less often than its warm-up had launches: only a search that begins anew with
// the graph finds it.
TEST(StepDetector, ASearchThatBeginsAnewForgetsTheWarmUp) {
  constexpr std::size_t warm_up = 3000;
  constexpr std::uint64_t graph = 1;
  for (const bool anew : {false, true}) {
    Program program;
    for (std::size_t i = 0; i < warm_up; ++i) program.launch(100 + i);
    if (anew) program.detector.search_anew();
    for (int i = 0; i < 1000; ++i) program.run({graph});
    EXPECT_EQ(program.detector.launches_per_step(), anew ? 1U : 0U);
    if (anew) {
      EXPECT_LT(program.search(), warm_up + 250);  // a second of 5 ms
    }
  }
}

TEST(StepDetector, AKnownStepIsNotSearchedAnew) {
  Program program;
  const Sequence step = counted(1, 7);
  for (int i = 0; i < 300; ++i) program.run(step);
  ASSERT_EQ(program.detector.launches_per_step(), 7U);
  program.detector.search_anew();
  EXPECT_EQ(program.detector.launches_per_step(), 7U);
  const std::size_t since = program.events.size();
  for (int i = 0; i < 10; ++i) program.run(step);
  EXPECT_EQ(program.count(StepEvent::begins, since), 10U);
}

}  // namespace
}  // namespace rooflab::profile
