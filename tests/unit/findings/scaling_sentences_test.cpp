// What is said of data-parallel runs, from figures made up by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rooflab/findings/findings.hpp"
#include "scale_runs.hpp"

namespace rooflab::findings {
namespace {

using testing::Contains;
using testing::HasSubstr;

std::vector<std::string> sentences_of(const std::vector<record::ScaleRun>& runs) {
  std::vector<std::string> sentences;
  for (const Finding& finding : findings_of(analyze::scaling_of(runs))) {
    sentences.push_back(finding.sentence());
  }
  return sentences;
}

TEST(ScalingSentences, NameTheBatchesThatDiffer) {
  EXPECT_THAT(sentences_of({run_of(64, {10 * ms}), run_of(48, {8 * ms, 8 * ms})}),
              Contains(HasSubstr("(1 x 64, 2 x 48)")));
}

// Ranks of 10 and 14 ms: the mean is 12, the slowest 1/6 above.
TEST(ScalingSentences, NameTheSlowestRank) {
  EXPECT_THAT(sentences_of({run_of(64, {10 * ms, 14 * ms})}),
              Contains(HasSubstr("on 2 devices rank 1 is the slowest: it computes 17 % longer")));
}

// Rank 0 takes 12 ms of a mean of 10 without exchange; rank 1 waits, and its step is the longest.
TEST(ScalingSentences, TakeTheRankThatTheOthersWaitFor) {
  record::ScaleRun run = run_of(64, {14 * ms, 14.1 * ms});
  run.ranks[0].alone_s = 12 * ms;
  run.ranks[1].alone_s = 8 * ms;
  run.ranks[0].exchange_s = run.ranks[1].exchange_s = 4 * ms;
  EXPECT_THAT(sentences_of({run}),
              Contains(HasSubstr("rank 0 is the slowest: it computes 20 % longer")));
}

// 2 x 600 MB over 1 GB.
TEST(ScalingSentences, CompareTheMemoryOfAllWithThatOfOne) {
  std::vector<record::ScaleRun> runs = {run_of(64, {10 * ms}), run_of(32, {6 * ms, 6 * ms})};
  runs[0].ranks[0].allocated_peak = Bytes(1'000'000'000);
  runs[1].ranks[0].allocated_peak = runs[1].ranks[1].allocated_peak = Bytes(600'000'000);
  EXPECT_THAT(sentences_of(runs),
              Contains("2 devices take 1.2 GB in all, 1.20 times the 1 GB of one"));
}

TEST(ScalingSentences, SayWhatIsDerived) {
  record::ScaleRun run = run_of(64, {12 * ms, 12 * ms});
  for (record::RankResult& rank : run.ranks) {
    rank.alone_s = 10 * ms;
    rank.exchange_s = 4 * ms;
  }
  EXPECT_THAT(sentences_of({run}),
              Contains("on 2 devices 17 % of the step is communication that nothing hides"
                       " (derived)"));
}

TEST(ScalingSentences, SayHowARunEnded) {
  record::ScaleRun run = run_of(64, {10 * ms, 10 * ms});
  run.status = record::Status::crashed;
  run.message = "rank 1 was killed by signal 9";
  EXPECT_THAT(sentences_of({run}),
              Contains("on 2 devices the run ended early (crashed): rank 1 was killed by signal"
                       " 9"));
}

TEST(ScalingSentences, GiveTheEfficiency) {
  EXPECT_THAT(sentences_of({run_of(64, {10 * ms}), run_of(64, {12.5 * ms, 12.5 * ms})}),
              Contains("2 devices are 1.60 times as fast as one (weak scaling, batch 64 per device,"
                       " 128 in all): 80 % efficiency"));
}

}  // namespace
}  // namespace rooflab::findings
