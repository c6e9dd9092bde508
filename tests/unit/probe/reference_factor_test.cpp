// A reference whose times are 2 us and 2 ps an element, and published times with it.

#include "probe/reference_factor.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "rooflab/predict/op_model.hpp"

namespace rooflab::probe {
namespace {

constexpr std::string_view relu_kind = "relu.forward.f32";

double own_time(double elements) { return 2e-6 + 2e-12 * elements; }

device::OpTable reference_table() {
  device::OpTable table;
  table.columns = {"elements"};
  for (int i = 0; i < 30; ++i) {
    const double elements = 1e4 * std::pow(1.5, i);
    table.rows.push_back({{elements}, own_time(elements), {}});
  }
  predict::fit_table(relu_kind, table, 1.0);
  return table;
}

OpRule relu_rule(std::optional<std::size_t> factor_by) {
  OpRule result;
  result.kind = relu_kind;
  result.factor_by = factor_by;
  return result;
}

/// 200 ops of 10,000 to 1.1 billion elements; `change` makes the published time of (index, own).
template <class Change>
std::vector<PublishedRow> published_times(Change change) {
  std::vector<PublishedRow> rows;
  for (std::size_t i = 0; i < 200; ++i) {
    const double elements = 1e4 * std::pow(1.06, static_cast<double>(i));
    rows.push_back({i, {elements}, change(i, own_time(elements))});
  }
  return rows;
}

TEST(ReferenceFactor, IsTheMedianRatioAfterTheOffsetOfShortOps) {
  const device::OpTable table = reference_table();
  const ReferenceFactor factor(
      relu_rule({}), table, 1.0,
      published_times([](std::size_t, double own) { return 1.25 * own - 1e-6; }));
  EXPECT_TRUE(factor.applied());
  EXPECT_NEAR(factor.offset_s(), 0.5e-6, 0.05e-6);  // of 2 us: 2 - (2.5 - 1)
  // The middle op has 3.4 million elements and takes 8.8 us: 1.25 - 0.5 / 8.8.
  EXPECT_NEAR(factor.median(), 1.19, 0.01);
  EXPECT_NEAR(factor.converted(1.19, std::vector{1e9}), 1.0, 0.01);
}

// Thirty rows, fewer than are asked to be near the reference's own, are used all the same.
TEST(ReferenceFactor, AFewRowsAreEnough) {
  const device::OpTable table = reference_table();
  std::vector<PublishedRow> rows =
      published_times([](std::size_t, double own) { return 1.5 * own; });
  rows.erase(rows.begin(), rows.begin() + 170);
  const ReferenceFactor factor(relu_rule({}), table, 1.0, rows);
  EXPECT_EQ(factor.rows(), 30U);
  EXPECT_TRUE(factor.applied());
}

// Half the rows take 0.7 of the time, half 1.4: no one factor describes them.
TEST(ReferenceFactor, IsNotAppliedWithinItsSpread) {
  const device::OpTable table = reference_table();
  const ReferenceFactor factor(relu_rule({}), table, 1.0,
                               published_times([](std::size_t i, double own) {
                                 return i % 2 == 0 ? 0.7 * own : 1.4 * own;
                               }));
  EXPECT_FALSE(factor.applied());
  EXPECT_GT(factor.spread(), 0.3);
  EXPECT_EQ(factor.converted(1.0, std::vector{1e9}), 1.0 + factor.offset_s());
}

// Below 2^22 elements twice the time, from 2^23 on half: a factor for each power of two.
TEST(ReferenceFactor, MayFollowASize) {
  const device::OpTable table = reference_table();
  std::vector<PublishedRow> rows;
  for (const int power : {20, 21, 22, 23}) {
    for (std::size_t i = 0; i < 25; ++i) {
      const double elements = std::exp2(power + (static_cast<double>(i) + 0.5) / 25.0);
      rows.push_back({rows.size(), {elements}, own_time(elements) * (power < 22 ? 2.0 : 0.5)});
    }
  }
  const ReferenceFactor factor(relu_rule(0), table, 1.0, rows);
  EXPECT_TRUE(factor.applied());
  EXPECT_EQ(factor.offset_s(), 0.0);
  EXPECT_NEAR(factor.converted(1.0, std::vector{std::exp2(20.5)}), 0.5, 0.02);
  EXPECT_NEAR(factor.converted(1.0, std::vector{std::exp2(23.5)}), 2.0, 0.08);
  EXPECT_NEAR(factor.converted(1.0, std::vector{std::exp2(10.0)}), 0.5, 0.02);
}

}  // namespace
}  // namespace rooflab::probe
