#include "study/study_answer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>

#include "study_cases.hpp"

namespace rooflab::study {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Published times and one of ours of 1 s, each with its own explanation or without.
class Figures {
 public:
  void add(double published, std::optional<Explanation::Kind> kind = std::nullopt) {
    const Explanation* const explanation =
        kind ? &explanations_.emplace_back(Explanation{.kind = *kind}) : nullptr;
    list.push_back({&row_,
                    find_quantity("time"),
                    published,
                    {&case_, &case_.figures.front()},
                    {},
                    explanation});
  }
  void add_alone() { list.push_back({&row_, find_quantity("time"), 1.0, {}, {}, nullptr}); }

  std::vector<PublishedFigure> list;

 private:
  PublishedRow row_;
  StudyCase case_ = made({{"mode", "predict"}}, {{"time", 1.0}});
  std::deque<Explanation> explanations_;
};

Verdict verdict(const std::string& text, Judgement result) {
  Verdict made;
  made.text = text;
  made.result = result;
  return made;
}

TEST(StudyAnswer, SaysHowManyAgreeAndWhyTheOthersDoNot) {
  Figures figures;
  figures.add(1.05);
  figures.add(3.0, Explanation::Kind::counting_rule);
  figures.add(0.02, Explanation::Kind::set_up);  // 50 times too small
  figures.add(2.0, Explanation::Kind::set_up);
  figures.add(100.0);  // the worst, but it explains nothing
  figures.add(1.02, Explanation::Kind::slip);
  figures.add_alone();
  EXPECT_THAT(
      answer_of(figures.list, {}),
      ElementsAre(
          "2 of 6 published figures agree with ours; the others, worst first: "
          "start-up time or more steps are included (2 figures, up to 50x off), another window or "
          "unit of work was counted (1 figure, 3x off), unexplained (1 figure, "
          "100x off)."));
}

TEST(StudyAnswer, IsShortWhereThereIsLittleToSay) {
  EXPECT_THAT(answer_of({}, {}), IsEmpty());
  Figures one;
  one.add(1.0);
  EXPECT_THAT(answer_of(one.list, {}), ElementsAre("The published figure agrees with ours."));
  one.add(1.0);
  EXPECT_THAT(answer_of(one.list, {}), ElementsAre("Both published figures agree with ours."));
  one.add(4.0);
  EXPECT_THAT(answer_of(one.list, {}),
              ElementsAre("2 of 3 published figures agree with ours; the other: unexplained (1 "
                          "figure, 4x off)."));
  one.add(0.5);
  EXPECT_THAT(answer_of(one.list, {}),
              ElementsAre("2 of 4 published figures agree with ours; the others: unexplained (2 "
                          "figures, up to 4x off)."));
  Figures off;
  off.add(5.0, Explanation::Kind::set_up);
  EXPECT_THAT(answer_of(off.list, {}),
              ElementsAre("The published figure does not agree with ours: start-up time or "
                          "more steps are included (1 figure, 5x off)."));
  Figures alone;
  alone.add_alone();
  EXPECT_THAT(answer_of(alone.list, {}),
              ElementsAre("Nothing of ours can be compared with the published figure."));
}

TEST(StudyAnswer, NamesHypothesesThatAreNotSupported) {
  const Verdict good = verdict("A", Judgement::supported);
  const Verdict bad = verdict("B", Judgement::refuted);
  const Verdict open = verdict("C", Judgement::undecided);
  const auto sentence = [](std::vector<Verdict> verdicts) { return answer_of({}, verdicts).at(0); };
  EXPECT_EQ(sentence({good}), "The hypothesis \"A\" is supported.");
  EXPECT_EQ(sentence({good, good}), "Both hypotheses are supported.");
  EXPECT_EQ(sentence({good, good, good}), "All 3 hypotheses are supported.");
  EXPECT_EQ(sentence({good, open, bad, good}),
            "Of 4 hypotheses 1 is refuted (\"B\"), 1 is undecided (\"C\"), 2 are supported.");
  EXPECT_EQ(sentence({bad, bad, bad, bad}),
            "Of 4 hypotheses 4 are refuted (\"B\", \"B\", 2 more).");
  Verdict nameless = open;
  nameless.text.clear();
  nameless.name = "h7";
  EXPECT_EQ(sentence({nameless}), "The hypothesis \"h7\" is undecided.");
}

}  // namespace
}  // namespace rooflab::study
