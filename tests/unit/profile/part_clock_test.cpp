#include "profile/part_clock.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rooflab::profile {
namespace {

using testing::HasSubstr;

/// A letter a launch. f, o: the main thread; b: autograd's; x: a third one. Of the optimizer O is a
/// kernel over many tensors, o one over a single tensor.
std::vector<PassHint> launches(std::string_view letters) {
  std::vector<PassHint> hints;
  for (const char letter : letters) {
    const std::uintptr_t thread = letter == 'b' ? 2 : letter == 'x' ? 3 : 1;
    hints.push_back({thread, letter == 'O'});
  }
  return hints;
}

struct Found {
  LaunchSpan span;
  std::string problem;
  std::string hint;
};
Found find(StepPart part, std::string_view letters, std::uintptr_t first_thread = 1) {
  PartProblem problem;
  Found found;
  found.span = part_of_step(part, first_thread, launches(letters), problem);
  found.problem = problem.what;
  found.hint = problem.hint;
  return found;
}

TEST(PartOfStep, BackwardIsTheRunOfTheOtherThread) {
  const Found backward = find(StepPart::backward, "fffbbbbOO");
  EXPECT_EQ(backward.problem, "");
  EXPECT_EQ(backward.span, (LaunchSpan{3, 7}));
  EXPECT_EQ(find(StepPart::forward, "fffbbbbOO").span, (LaunchSpan{0, 3}));
  EXPECT_EQ(find(StepPart::both, "fffbbbbOO").span, (LaunchSpan{0, 7}));
}

// The search for steps begins them anywhere: here within the optimizer, the forward pass and the
// backward pass.
TEST(PartOfStep, AStepMayBeginAnywhere) {
  EXPECT_EQ(find(StepPart::forward, "OfffbbbbO").span, (LaunchSpan{1, 4}));
  EXPECT_EQ(find(StepPart::both, "OfffbbbbO").span, (LaunchSpan{1, 8}));
  EXPECT_EQ(find(StepPart::forward, "ffbbbbOOf").span, (LaunchSpan{8, 2}));
  EXPECT_EQ(find(StepPart::backward, "ffbbbbOOf").span, (LaunchSpan{2, 6}));
  EXPECT_EQ(find(StepPart::backward, "bbOOfffbb").span, (LaunchSpan{7, 2}));
  EXPECT_EQ(find(StepPart::forward, "bbOOfffbb").span, (LaunchSpan{4, 7}));
  EXPECT_EQ(find(StepPart::both, "bbOOfffbb").span, (LaunchSpan{4, 2}));
}

// Clipping and single kernels between those of the optimizer belong to it.
TEST(PartOfStep, TheOptimizerEndsWithItsLastKernel) {
  EXPECT_EQ(find(StepPart::forward, "fffbbOooOf").span, (LaunchSpan{9, 3}));
  EXPECT_TRUE(updates_parameters("_ZN2at6native25multi_tensor_apply_kernelINS0_18TensorListMeta"));
  EXPECT_FALSE(updates_parameters("_ZN2at6native29vectorized_elementwise_kernelILi4"));
}

TEST(PartOfStep, WithoutAKnownOptimizerOnlyBackwardIsKnown) {
  EXPECT_EQ(find(StepPart::backward, "fffbbo").span, (LaunchSpan{3, 5}));
  for (const StepPart part : {StepPart::forward, StepPart::both}) {
    const Found found = find(part, "fffbbo");
    EXPECT_THAT(found.problem, HasSubstr("cannot be told from an optimizer"));
    EXPECT_THAT(found.hint, HasSubstr("the window backward is known"));
  }
  // Which thread is autograd's is then told by the first launch of the process.
  EXPECT_EQ(find(StepPart::backward, "fffbbo", 2).span, (LaunchSpan{5, 3}));
}

TEST(PartOfStep, NothingIsGuessed) {
  EXPECT_THAT(find(StepPart::backward, "fffffOO").problem, HasSubstr("one thread launches"));
  EXPECT_THAT(find(StepPart::backward, "ffbbffbbOO").problem, HasSubstr("several backward passes"));
  EXPECT_THAT(find(StepPart::backward, "ffbbxxOO").problem, HasSubstr("more than two threads"));
  EXPECT_THAT(find(StepPart::backward, "fffbbo", 7).problem, HasSubstr("more than two threads"));
  EXPECT_THAT(find(StepPart::both, "fffffOO").hint, HasSubstr("nvtx:NAME"));
}

/// Steps as a StepClock tells of them: a letter for each event that the part's clock answers.
std::string answers(PartClock& clock, std::string_view step, int steps) {
  std::string letters;
  for (int i = 0; i < steps; ++i) {
    bool first = true;
    for (const PassHint& launch : launches(step)) {
      const StepEvent event = clock.before_launch(
          std::exchange(first, false) ? StepEvent::begins : StepEvent::inside, launch);
      letters += event == StepEvent::begins   ? 'B'
                 : event == StepEvent::inside ? 'i'
                 : event == StepEvent::ends   ? 'E'
                 : event == StepEvent::broke  ? 'X'
                                              : '-';
    }
    letters += ' ';
  }
  return letters;
}

TEST(PartClock, LearnsFromThreeStepsAndThenTellsOfThePart) {
  PartClock clock(StepPart::backward);
  EXPECT_EQ(answers(clock, "ffbbbO", 5), "------ ------ ------ --BiiE --BiiE ");
  PartClock forward(StepPart::forward);
  EXPECT_EQ(answers(forward, "ffbbbO", 5), "------ ------ ------ BiE--- BiE--- ");
}

TEST(PartClock, APartGoesOnInTheNextStep) {
  PartClock clock(StepPart::forward);
  // The first part that is seen from its beginning is that of the fourth step's end.
  EXPECT_EQ(answers(clock, "fbbOf", 6), "----- ----- ----- ----B iE--B iE--B ");
}

TEST(PartClock, AStepThatBreaksBreaksItsPart) {
  PartClock clock(StepPart::backward);
  answers(clock, "ffbbbO", 4);
  const std::vector<PassHint> step = launches("ffbb");
  StepEvent event = StepEvent::begins;
  for (const PassHint& launch : step) {
    event = clock.before_launch(&launch == &step.front() ? StepEvent::begins : StepEvent::inside,
                                launch);
  }
  EXPECT_EQ(event, StepEvent::inside);
  EXPECT_EQ(clock.before_launch(StepEvent::broke, {1, false}), StepEvent::broke);
  EXPECT_EQ(clock.before_launch(StepEvent::searching, {1, false}), StepEvent::searching);
  EXPECT_EQ(answers(clock, "ffbbbO", 1), "--BiiE ");
}

TEST(PartClock, StepsOfOtherThreadsAreNoReference) {
  PartClock clock(StepPart::backward);
  answers(clock, "ffbbbO", 1);
  answers(clock, "ffffbO", 1);
  answers(clock, "ffbbbO", 1);
  EXPECT_THAT(std::string(clock.problem().what), HasSubstr("the steps launch from different"));
  // Another supposed step begins anew.
  clock.forget();
  EXPECT_EQ(answers(clock, "fbO", 4), "--- --- --- -BE ");
}

}  // namespace
}  // namespace rooflab::profile
