// Times of messages, by hand: a link of 1 GB/s and 10 us.

#include "rooflab/predict/link_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../base/note_matchers.hpp"
#include "op_tables.hpp"
#include "predict/predict_notes.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::predict {
namespace {

using device::LinkRow;
using testing::ElementsAre;

LinkModel link(double bandwidth = 1e9, double latency_s = 10 * us) {
  device::Link link{.id = "toy", .name = "Toy", .source = "", .latency_source = ""};
  link.bandwidth = bandwidth;
  link.latency_s = latency_s;
  return LinkModel(link);
}

// 4 devices, 1 MB: 2 * 3/4 MB / (1 GB/s) + 6 * 10 us; 2 MB / (1 GB/s) + 4 * 10 us.
TEST(AllReduce, RingAndTree) {
  EXPECT_NEAR(link().all_reduce_s(1e6, 4, AllReduce::ring), 1560 * us, 1e-12);
  EXPECT_NEAR(link().all_reduce_s(1e6, 4, AllReduce::tree), 2040 * us, 1e-12);
  EXPECT_NEAR(link().all_reduce_s(1e6, 4), 1560 * us, 1e-12);
  // 5 devices take trees of 3 levels.
  EXPECT_NEAR(link().all_reduce_s(1e6, 5, AllReduce::tree), 2060 * us, 1e-12);
  EXPECT_EQ(link().all_reduce_s(1e6, 1), 0.0);
  EXPECT_EQ(link().all_reduce_s(0.0, 4), 0.0);
  EXPECT_NEAR(link().transfer_s(1e6), 1010 * us, 1e-12);
}

// The tree has 2/n B more to move, 2/64 of it here, and 2 * (63 - 6) messages fewer: equal at
// B / 32 / (1 GB/s) = 1140 us, that is 36.48 MB.
TEST(AllReduce, TreesAreFasterBelowTheCrossover) {
  const double crossover = 36.48e6;
  EXPECT_NEAR(link().all_reduce_s(crossover, 64, AllReduce::ring),
              link().all_reduce_s(crossover, 64, AllReduce::tree), 1e-9);
  EXPECT_EQ(link().all_reduce_s(30e6, 64), link().all_reduce_s(30e6, 64, AllReduce::tree));
  EXPECT_EQ(link().all_reduce_s(40e6, 64), link().all_reduce_s(40e6, 64, AllReduce::ring));
}

TEST(AllReduce, GrowsWithBytesAndDevicesAndShrinksWithBandwidth) {
  for (const AllReduce algorithm : {AllReduce::automatic, AllReduce::ring, AllReduce::tree}) {
    double last = 0.0;
    for (const double bytes : {1e3, 1e5, 1e7, 1e9}) {
      const double time = link().all_reduce_s(bytes, 8, algorithm);
      EXPECT_GT(time, last);
      last = time;
    }
    last = 0.0;
    for (const int ranks : {2, 3, 4, 8, 16}) {
      const double time = link().all_reduce_s(1e7, ranks, algorithm);
      EXPECT_GE(time, last);
      last = time;
    }
    EXPECT_GT(link(1e9).all_reduce_s(1e7, 8, algorithm), link(2e9).all_reduce_s(1e7, 8, algorithm));
  }
}

// 4 devices, 1 MB: 3/4 MB / (1 GB/s) + 3 * 10 us for rings and pairs; all of it for a broadcast.
TEST(Collectives, MoveWhatTheirRingsMove) {
  EXPECT_NEAR(link().seconds(Collective::all_gather, 1e6, 4), 780 * us, 1e-12);
  EXPECT_NEAR(link().seconds(Collective::reduce_scatter, 1e6, 4), 780 * us, 1e-12);
  EXPECT_NEAR(link().seconds(Collective::all_to_all, 1e6, 4), 780 * us, 1e-12);
  EXPECT_NEAR(link().seconds(Collective::broadcast, 1e6, 4), 1030 * us, 1e-12);
  EXPECT_NEAR(link().seconds(Collective::copy, 1e6, 2), 1010 * us, 1e-12);
  EXPECT_EQ(link().seconds(Collective::all_gather, 1e6, 1), 0.0);
}

// A reduce-scatter and an all-gather are an all-reduce.
TEST(Collectives, TwoRingsAreAnAllReduce) {
  for (const int ranks : {2, 3, 8}) {
    const double both = link().seconds(Collective::reduce_scatter, 3e6, ranks) +
                        link().seconds(Collective::all_gather, 3e6, ranks);
    EXPECT_NEAR(both, link().all_reduce_s(3e6, ranks, AllReduce::ring), 1e-12);
  }
}

// ---- measured

std::vector<LinkRow> rows() {
  return {{"all_reduce", 2, 1 << 12, 20 * us},
          {"all_reduce", 2, 1 << 16, 80 * us},
          {"all_reduce", 2, 1 << 20, 1280 * us},
          {"copy", 2, 1 << 12, 5 * us},
          {"copy", 2, 1 << 20, 500 * us}};
}

// Between 4 and 64 KiB time grows by 4 over a factor of 16: half way, at 16 KiB, by 2.
TEST(MeasuredLink, IsInterpolatedInLogarithms) {
  const LinkModel model(rows());
  EXPECT_TRUE(model.measured());
  EXPECT_NEAR(model.all_reduce_s(1 << 12, 2), 20 * us, 1e-12);
  EXPECT_NEAR(model.all_reduce_s(1 << 14, 2), 40 * us, 1e-12);
  EXPECT_NEAR(model.all_reduce_s(1 << 20, 2), 1280 * us, 1e-12);
  EXPECT_NEAR(model.all_reduce_s(16, 2), 20 * us, 1e-12);         // no faster than the smallest
  EXPECT_NEAR(model.all_reduce_s(1 << 22, 2), 5120 * us, 1e-12);  // the last bandwidth goes on
  EXPECT_NEAR(model.transfer_s(1 << 16), 50 * us, 1e-12);
  EXPECT_LT(model.deviation(2), model.deviation(4));
  EXPECT_LT(model.deviation(4), link().deviation(4));
}

TEST(MeasuredLink, NeverFallsWithTheSize) {
  const LinkModel model({{"all_reduce", 2, 8192, 10 * us}, {"all_reduce", 2, 4096, 30 * us}});
  EXPECT_NEAR(model.all_reduce_s(4096, 2), 30 * us, 1e-12);
  EXPECT_NEAR(model.all_reduce_s(8192, 2), 30 * us, 1e-12);
}

// 1 MB over 2 takes 1 ms, over 8 7 ms: 1 and 0.25 MB/ms on the bus, of 1 and 1.75 MB. Over 4, half
// way in the logarithm, 0.5 MB/ms, and 1.5 MB; over 16 still 0.25 MB/ms, and 1.875 MB.
TEST(MeasuredLink, OtherNumbersOfRanksHaveTheBusBandwidthBeside) {
  const LinkModel model({{"all_reduce", 2, 1e6, 1000 * us}, {"all_reduce", 8, 1e6, 7000 * us}});
  EXPECT_NEAR(model.all_reduce_s(1e6, 4), 3000 * us, 1e-12);
  EXPECT_NEAR(model.all_reduce_s(1e6, 16), 7500 * us, 1e-12);
  const LinkModel four({{"all_reduce", 4, 1e6, 1500 * us}});
  EXPECT_NEAR(four.all_reduce_s(1e6, 2), 1000 * us, 1e-12);
}

// Times of a ring with 5 us and 2 GB/s among 2 and 4: both come out again, and an algorithm that is
// asked for by name has its formula, for a measured number of ranks as well.
TEST(MeasuredLink, BandwidthAndLatencyAreFitted) {
  const LinkModel truth = link(2e9, 5 * us);
  std::vector<LinkRow> made;
  for (const int ranks : {2, 4}) {
    for (const double bytes : {4096.0, 65536.0, 1048576.0, 67108864.0}) {
      made.push_back(
          {"all_reduce", ranks, bytes, truth.all_reduce_s(bytes, ranks, AllReduce::ring)});
    }
  }
  const LinkModel model(made);
  EXPECT_NEAR(model.bandwidth(), 2e9, 1e3);
  EXPECT_NEAR(model.latency_s(), 5 * us, 1e-10);
  EXPECT_NEAR(model.all_reduce_s(5e6, 8, AllReduce::ring),
              truth.all_reduce_s(5e6, 8, AllReduce::ring), 1e-8);
  EXPECT_NEAR(model.all_reduce_s(4096, 4, AllReduce::tree),
              truth.all_reduce_s(4096, 4, AllReduce::tree), 1e-9);
}

TEST(MeasuredLink, IsNamedByWhereItsTimesComeFrom) {
  EXPECT_EQ(LinkModel(rows()).name(), "measured");
  std::vector<LinkRow> published = rows();
  for (LinkRow& row : published) row.origin = "table-3";
  EXPECT_EQ(LinkModel(published).name(), "published");
  published.front().origin.clear();
  EXPECT_EQ(LinkModel(published).name(), "measured");
}

TEST(MeasuredLink, TakesTheOverlapOfTheNearestNumberOfRanks) {
  LinkModel model(rows());
  EXPECT_EQ(model.overlap(2), std::nullopt);
  EXPECT_THAT(model.notes(2), ElementsAre(HasCode(says.overlap_not_measured)));
  EXPECT_TRUE(model.notes(1).empty());
  model.add(std::vector<device::Overlap>{{.ranks = 2, .copy = 1.2}, {.ranks = 8, .copy = 1.8}});
  EXPECT_EQ(model.overlap(2)->copy, 1.2);
  EXPECT_EQ(model.overlap(5)->copy, 1.8);  // 8 / 5 is less than 5 / 2
  EXPECT_EQ(model.overlap(64)->copy, 1.8);
  EXPECT_TRUE(model.notes(2).empty());
}

TEST(MeasuredLink, CopiesAloneMakeALink) {
  const LinkModel model({{"copy", 2, 1e6, 1010 * us}, {"copy", 2, 1e3, 11 * us}});
  EXPECT_NEAR(model.bandwidth(), 1e9, 1e3);
  EXPECT_NEAR(model.all_reduce_s(1e6, 4), 1560 * us, 1e-8);
}

// Over 2 half of 1 MB in 500 us: 1 GB/s on the bus. Over 4 three quarters of it move.
TEST(MeasuredLink, HasItsOwnTimesOfEachCollective) {
  const LinkModel model({{"all_reduce", 2, 1e6, 2000 * us}, {"all_gather", 2, 1e6, 500 * us}});
  EXPECT_NEAR(model.seconds(Collective::all_gather, 1e6, 2), 500 * us, 1e-12);
  EXPECT_NEAR(model.seconds(Collective::all_gather, 1e6, 4), 750 * us, 1e-12);
  // What was not measured takes its part of the all-reduce.
  EXPECT_NEAR(model.seconds(Collective::reduce_scatter, 1e6, 2), 1220 * us, 1e-12);
  EXPECT_NEAR(model.seconds(Collective::broadcast, 1e6, 2), 1000 * us, 1e-12);
  EXPECT_EQ(model.deviation(2, Collective::all_gather), 0.10);
  EXPECT_EQ(model.deviation(2, Collective::reduce_scatter), 0.23);
}

// Half of 1 MB over 2 devices in 510 us and of 1 kB in 10.5 us: 1 GB/s and 10 us.
TEST(MeasuredLink, AnotherCollectiveAloneMakesALink) {
  const LinkModel model({{"all_gather", 2, 1e3, 10.5 * us}, {"all_gather", 2, 1e6, 510 * us}});
  EXPECT_NEAR(model.bandwidth(), 1e9, 1e3);
  EXPECT_NEAR(model.all_reduce_s(1e6, 4), 1560 * us, 1e-8);
  EXPECT_THROW(LinkModel({{"gossip", 2, 1e3, 10 * us}}), Error);
}

TEST(MeasuredLink, OneRowIsABandwidth) {
  const LinkModel model({{"all_reduce", 2, 1e6, 1000 * us}});
  EXPECT_EQ(model.latency_s(), 0.0);
  EXPECT_NEAR(model.bandwidth(), 1e9, 1e3);
}

TEST(MeasuredLink, TakesMultiprocessorsFromTheDatasheetsLink) {
  device::Link beside{.id = "toy", .name = "Toy", .source = "", .latency_source = ""};
  beside.multiprocessors = 7;
  EXPECT_EQ(LinkModel(rows(), &beside).multiprocessors(), 7);
  EXPECT_GE(LinkModel(rows()).multiprocessors(), 1);
}

TEST(MeasuredLink, WithoutRowsIsAnError) {
  EXPECT_THROW((void)LinkModel(std::vector<LinkRow>{}), Error);
}

}  // namespace
}  // namespace rooflab::predict
