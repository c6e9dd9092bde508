#include "rooflab/device/overlap.hpp"

#include <gtest/gtest.h>

namespace rooflab::device {
namespace {

MeasuredFigure ratio(std::string name, double value) {
  return {std::move(name), "1", value, value, value, 9, ""};
}

TEST(Overlap, IsMadeOfTheFiguresOfOneNumberOfRanks) {
  Calibration c;
  c.figures = {ratio("overlap.product.2", 1.1),
               ratio("overlap.copy.2", 1.2),
               ratio("overlap.all_reduce_beside_product.2", 1.3),
               ratio("overlap.all_reduce_beside_copy.2", 1.4),
               ratio("overlap.product.8", 1.5),
               ratio("dram.copy", 4e12)};
  const std::vector<Overlap> overlaps = overlaps_of(c);
  ASSERT_EQ(overlaps.size(), 1U);  // three figures of 8 are missing
  EXPECT_EQ(overlaps[0], (Overlap{2, 1.1, 1.2, 1.3, 1.4}));
}

TEST(Overlap, HasNamesThatAreReadAgain) {
  for (const OverlapFigure figure : values_of<OverlapFigure>) {
    EXPECT_EQ(overlap_ranks(overlap_figure_name(figure, 16), figure), 16);
  }
  EXPECT_EQ(overlap_figure_name(OverlapFigure::copy, 2), "overlap.copy.2");
  for (const char* const other :
       {"overlap.copy", "overlap.copy.", "overlap.copy.1", "overlap.copy.x", "overlap.product.2"}) {
    EXPECT_EQ(overlap_ranks(other, OverlapFigure::copy), std::nullopt) << other;
  }
}

TEST(Overlap, HasLabels) {
  EXPECT_EQ(label_of_figure("overlap.copy.2"), "copy during an all-reduce, over 2");
  EXPECT_EQ(label_of_figure("overlap.all_reduce_beside_product.4"),
            "all-reduce during products, over 4");
}

}  // namespace
}  // namespace rooflab::device
