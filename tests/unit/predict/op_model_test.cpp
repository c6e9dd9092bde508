// Tables that are made up, so that what a model should say is known.

#include "rooflab/predict/op_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "op_tables.hpp"
#include "rooflab/base/error.hpp"

namespace rooflab::predict {
namespace {

constexpr std::string_view kind = "softmax.forward.f32";

double by_work(const std::vector<double>& sizes) { return 4e-6 + 8.0 * sizes[0] * sizes[1] / 2e12; }

/// Time by the work alone, with a slow wave over the logarithm of the width that no curve can
/// follow: 30 % up and down.
double wavy(const std::vector<double>& sizes) {
  return by_work(sizes) * std::exp(0.3 * std::sin(std::log2(sizes[1])));
}

device::OpTable table_of(std::vector<device::OpRow> rows) {
  device::OpTable table;
  table.columns = column_names("softmax");
  table.rows = std::move(rows);
  return table;
}

device::OpTable fitted(std::vector<device::OpRow> rows) {
  device::OpTable table = table_of(std::move(rows));
  fit_table(kind, table, table_multiprocessors);
  return table;
}

/// Root of the mean square of log(predicted / true) over shapes between the rows.
double model_error(const std::function<double(const std::vector<double>&)>& predicted,
                   double (*truth)(const std::vector<double>&)) {
  double square = 0.0;
  const std::vector<device::OpRow> asked = made_up_rows(83, {13.0, 9.0}, truth);
  for (const device::OpRow& row : asked) {
    const double error = std::log(predicted(row.sizes) / row.time_s);
    square += error * error;
  }
  return std::sqrt(square / static_cast<double>(asked.size()));
}

// Keys that are powers of two say nothing of 4,097 keys, although 1, 2 and 4 of them are
// misaligned: there a kernel of one step takes 20 us, and the cost of that must not become the cost
// of odd counts.
TEST(OpModel, AFeatureThatOnlySmallSizesHaveIsNotTold) {
  constexpr std::string_view decode = "attention_decode.forward.bf16";
  const auto time = [](const std::vector<double>& sizes) {
    return 20e-6 + 4.0 * sizes[0] / sizes[1] * sizes[3] * sizes[4] / 3e12;
  };
  device::OpTable table;
  table.columns = column_names("attention_decode");
  for (double keys = 1.0; keys <= 65536.0; keys *= 2.0) {
    for (const double heads : {32.0, 128.0, 512.0}) {
      device::OpRow row;
      row.sizes = {heads, 4.0, 1.0, keys, 128.0};
      row.time_s = time(row.sizes);
      table.rows.push_back(row);
    }
  }
  EXPECT_THAT(told_features(shape_of_kind(decode), table.rows), testing::Each(false));
  fit_table(decode, table, table_multiprocessors);
  const OpModel model(decode, table, table_multiprocessors);
  for (double keys = 4088.0; keys <= 4104.0; ++keys) {
    const std::vector<double> sizes = {512.0, 4.0, 1.0, keys, 128.0};
    EXPECT_NEAR(model.estimate(sizes).time_s / time(sizes), 1.0, 0.1) << keys;
  }
  // Rows of odd counts tell it.
  for (const double keys : {1001.0, 2001.0, 4001.0}) {
    device::OpRow row;
    row.sizes = {128.0, 4.0, 1.0, keys, 128.0};
    row.time_s = 2.0 * time(row.sizes);
    table.rows.push_back(row);
  }
  EXPECT_TRUE(told_features(shape_of_kind(decode), table.rows)[0]);
}

// One channel of a group in every row: what that costs may stand in the feature's parameter or in
// the rates, and an op far from the rows takes the same time.
TEST(OpModel, AFeatureThatAllRowsHaveAlikeIsInTheirRates) {
  constexpr std::string_view depthwise = "conv2d_depthwise.forward.bf16.nchw";
  device::OpTable table;
  table.columns = column_names("conv2d_depthwise");
  for (int i = 0; i < 60; ++i) {
    const double groups = 8.0 * (1 + i % 10);
    const double pixels = 64.0 * (1 + i / 10);
    const double time_s = 4e-6 + 4.0 * 8.0 * pixels * groups / 1e11;
    table.rows.push_back({{8.0, pixels, 1.0, 1.0, groups, 9.0, 1.0}, time_s, std::nullopt});
  }
  fit_table(depthwise, table, table_multiprocessors);
  const OpShape kind = shape_of_kind(depthwise);
  const std::size_t first = OpCurve::basic_parameters(kind);
  ASSERT_GT(table.curve.size(), first + 1);
  const std::vector<double> far = {256.0, 4096.0, 1.0, 1.0, 512.0, 9.0, 1.0};
  const double time_s = OpModel(depthwise, table, table_multiprocessors).estimate(far).time_s;
  // The second aligned size is the channels of a group: 1 of 8 numbers is 3 powers of two off.
  ASSERT_DOUBLE_EQ(feature(kind, far, 1), 3.0);
  table.curve[first + 1] += 0.3;
  table.curve = OpCurve::slowed_by(kind, -0.9, table.curve);
  EXPECT_NEAR(OpModel(depthwise, table, table_multiprocessors).estimate(far).time_s / time_s, 1.0,
              1e-6);
}

// Rows that are off 16 bytes, and rows that do not fill their tiles, take three times as long each,
// and no row is both. The product of both costs, nine, is what no row shows.
TEST(OpModel, NoOpIsSlowedMoreThanARowIs) {
  constexpr std::string_view linear = "linear.forward.bf16";
  const auto truth = [](const std::vector<double>& s) {
    const bool off = misalignment(s[1], "bf16") > 2.0 || misalignment(s[2], "bf16") > 2.0;
    return (4e-6 + 2.0 * s[0] * s[1] * s[2] / 5e14) * (off ? 3.0 : 1.0);
  };
  device::OpTable table;
  table.columns = column_names("linear");
  for (int i = 0; i < 120; ++i) {
    const double width = std::floor(std::exp2(7.0 + 0.06 * i) / 8.0) * 8.0;
    const std::vector<double> sizes = {1024.0 * (1 + i % 4), 768.0 + (i % 3 == 0 ? 1.0 : 0.0),
                                       width + (i % 3 == 1 ? 1.0 : 0.0)};
    table.rows.push_back({sizes, truth(sizes), std::nullopt});
  }
  fit_table(linear, table, table_multiprocessors);
  const OpModel model(linear, table, table_multiprocessors);
  for (const double width : {512.0, 4096.0, 65536.0}) {
    const std::vector<double> whole = {2048.0, 768.0, width};
    const std::vector<double> both = {2048.0, 769.0, width + 1.0};
    EXPECT_LT(model.estimate(both).time_s / model.estimate(whole).time_s, 4.5) << width;
  }
}

// A width of 65,536 was measured to take three times what its neighbours do: one less takes as
// long.
TEST(OpModel, AWidthOffWholeVectorsIsNotFasterThanTheWholeOnes) {
  std::vector<device::OpRow> rows = made_up_rows(120, {10.0, 14.0}, by_work);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].sizes[1] =
        std::max(4.0, std::floor(rows[i].sizes[1] / 4.0) * 4.0) + (i % 4 == 0 ? 1 : 0);
    rows[i].time_s = by_work(rows[i].sizes);
  }
  rows.push_back({{64.0, 65536.0}, 3.0 * by_work({64.0, 65536.0}), std::nullopt});
  const device::OpTable table = fitted(rows);
  const OpModel model(kind, table, table_multiprocessors);
  const double whole_s = model.estimate(std::vector{64.0, 65536.0}).time_s;
  EXPECT_NEAR(whole_s / by_work({64.0, 65536.0}), 3.0, 0.1);
  EXPECT_NEAR(model.estimate(std::vector{64.0, 65535.0}).time_s / whole_s, 1.0, 0.05);
  EXPECT_EQ(whole_vectors(shape_of_kind(kind), std::vector{7.0, 65535.0}),
            (std::vector{7.0, 65532.0}));
}

TEST(OpModel, RepeatsItsRowsWithinTheNoise) {
  const device::OpTable table = fitted(made_up_rows(120, {14.0, 10.0}, wavy));
  const OpModel model(kind, table, table_multiprocessors);
  double square = 0.0;
  for (const device::OpRow& row : table.rows) {
    const OpModel::Estimate estimate = model.estimate(row.sizes);
    EXPECT_EQ(estimate.distance, 0.0);
    EXPECT_LT(estimate.deviation, 0.5 * table.amplitude);
    const double error = std::log(estimate.time_s / row.time_s);
    EXPECT_LT(std::abs(error), 6.0 * table.noise);
    square += error * error;
  }
  EXPECT_LT(std::sqrt(square / static_cast<double>(table.rows.size())), 1.5 * table.noise);
}

TEST(OpModel, FollowsASmoothSurfaceThatTheCurveCannot) {
  const device::OpTable table = fitted(made_up_rows(200, {14.0, 10.0}, wavy));
  const OpModel model(kind, table, table_multiprocessors);
  const OpCurve curve(shape_of_kind(kind), table.curve, table_multiprocessors);
  const double alone =
      model_error([&](const std::vector<double>& sizes) { return curve.time(sizes); }, wavy);
  const double corrected = model_error(
      [&](const std::vector<double>& sizes) { return model.estimate(sizes).time_s; }, wavy);
  EXPECT_GT(alone, 0.10);
  EXPECT_LT(corrected, 0.04);
}

// A product whose rows are off 16 bytes takes five times as long: neighbours in size lie far apart
// in time, and the model tells them by their alignment, not by their place.
TEST(OpModel, TellsAlignedSizesFromTheirNeighbours) {
  constexpr std::string_view linear = "linear.forward.bf16";
  const auto truth = [](const std::vector<double>& s) {
    return (4e-6 + 2.0 * s[0] * s[1] * s[2] / 5e14) *
           (misalignment(s[2], "bf16") > 2.0 ? 5.0 : 1.0);
  };
  device::OpTable table;
  table.columns = column_names("linear");
  for (int i = 0; i < 90; ++i) {
    const double width =
        std::floor(std::exp2(9.0 + 0.08 * i) / 8.0) * 8.0 + (i % 3 == 0 ? 1.0 : 0.0);
    const std::vector<double> sizes = {1024.0 * (1 + i % 4), 768.0, width};
    table.rows.push_back({sizes, truth(sizes), std::nullopt});
  }
  fit_table(linear, table, table_multiprocessors);
  const OpShape shape = shape_of_kind(linear);
  EXPECT_EQ(table.lengths.size(), 3U + feature_count(shape));
  EXPECT_EQ(table.curve.size(), OpCurve::basic_parameters(shape) + feature_count(shape));
  const OpModel model(linear, table, table_multiprocessors);
  for (const double width : {50257.0, 50264.0, 30522.0 + 1.0, 30528.0, 3001.0, 3008.0}) {
    const std::vector<double> sizes = {2048.0, 768.0, width};
    EXPECT_NEAR(model.estimate(sizes).time_s / truth(sizes), 1.0, 0.1) << width;
  }
}

// A kernel that works on whole tiles of 64 takes as long for 65 columns as for 128.
TEST(OpModel, TellsWholeTilesFromTheirNeighbours) {
  constexpr std::string_view linear = "linear.forward.fp32";
  const auto truth = [](const std::vector<double>& s) {
    return 4e-6 + 2.0 * s[0] * s[1] * std::ceil(s[2] / 64.0) * 64.0 / 5e13;
  };
  device::OpTable table;
  table.columns = column_names("linear");
  for (int i = 0; i < 120; ++i) {
    const double width = 4.0 * std::floor(std::exp2(3.0 + 0.05 * i));
    const std::vector<double> sizes = {8192.0 * (1 + i % 4), 768.0, width};
    table.rows.push_back({sizes, truth(sizes), std::nullopt});
  }
  fit_table(linear, table, table_multiprocessors);
  const OpModel model(linear, table, table_multiprocessors);
  for (const double width : {64.0, 68.0, 96.0, 132.0, 188.0, 260.0}) {
    const std::vector<double> sizes = {12288.0, 768.0, width};
    EXPECT_NEAR(model.estimate(sizes).time_s / truth(sizes), 1.0, 0.12) << width;
  }
}

// The table holds ops that a library runs by another algorithm: each is what was measured at its
// own sizes, and does not bend its neighbours.
TEST(OpModel, AnOutlierIsRightAtItsOwnSizesAndLeavesItsNeighboursAlone) {
  std::vector<device::OpRow> rows = made_up_rows(120, {14.0, 10.0}, wavy);
  constexpr std::size_t outlier = 60;
  rows[outlier].time_s *= 6.0;
  const device::OpTable table = fitted(rows);
  const OpModel model(kind, table, table_multiprocessors);
  const std::vector<double>& at = rows[outlier].sizes;
  EXPECT_NEAR(model.estimate(at).time_s / rows[outlier].time_s, 1.0, 0.1);
  EXPECT_LT(model.estimate(at).deviation, 0.1);
  const std::vector<double> beside = {at[0] * 1.2, at[1]};
  EXPECT_NEAR(model.estimate(beside).time_s / wavy(beside), 1.0, 0.4);
}

// One row more of an op of 1,000 and more is the same op: the library runs it alike, whatever its
// other neighbours do.
TEST(OpModel, OneMoreIsRunAsTheMeasuredOpIs) {
  std::vector<device::OpRow> rows = made_up_rows(120, {14.0, 10.0}, wavy);
  const auto large = std::ranges::find_if(rows, [](const device::OpRow& row) {
    return row.sizes[0] >= 1000.0 && row.sizes[1] >= 16.0;
  });
  ASSERT_NE(large, rows.end());
  for (const double factor : {6.0, 1.0 / 6.0}) {
    std::vector<device::OpRow> bent = rows;
    device::OpRow& row = bent[static_cast<std::size_t>(large - rows.begin())];
    row.time_s *= factor;
    const device::OpTable table = fitted(bent);
    const OpModel model(kind, table, table_multiprocessors);
    for (const double more : {-1.0, 1.0}) {
      const std::vector<double> next = {row.sizes[0] + more, row.sizes[1]};
      EXPECT_NEAR(model.estimate(next).time_s / model.estimate(row.sizes).time_s, 1.0, 0.1);
    }
  }
}

// Published rows end at 4,096 x 512. Sixteen times as many bytes take sixteen times as long as the
// nearest op that they tell of, twice their largest in both sizes; the launch is paid once.
TEST(OpModel, PublishedRowsEndWithinTwiceTheirSizes) {
  device::OpTable table = fitted(made_up_rows(120, {12.0, 9.0}, by_work));
  double rows = 0.0;
  double width = 0.0;
  for (const device::OpRow& row : table.rows) {
    rows = std::max(rows, row.sizes[0]);
    width = std::max(width, row.sizes[1]);
  }
  const std::vector<double> far = {8.0 * rows, 8.0 * width};
  EXPECT_EQ(OpModel(kind, table, table_multiprocessors).nearest_inside(far), far);
  table.published = device::PublishedRows{.origin = "table"};
  const OpModel model(kind, table, table_multiprocessors);
  EXPECT_EQ(model.nearest_inside(far), (std::vector{2.0 * rows, 2.0 * width}));
  EXPECT_EQ(model.nearest_inside(table.rows[7].sizes), table.rows[7].sizes);
}

// Kernels of 7 and 16 pixels are less than an octave from 9; 1x1, 5x5 and stride 2 are further.
TEST(OpModel, PublishedRowsOf3x3SayNothingOfOtherKernels) {
  constexpr std::string_view convolution = "conv2d.forward.fp32.nchw";
  device::OpTable table;
  table.columns = column_names("conv2d");
  for (int i = 0; i < 12; ++i) {
    const double channels = 16.0 * (1 + i % 4);
    const int octave = 1 + i / 4;
    const double time_s = 1e-5 * (1 + i % 4) * (1 + i % 4) * octave;
    table.rows.push_back(
        {{8.0 * octave, 784.0, channels, channels, 1.0, 9.0, 1.0}, time_s, std::nullopt});
  }
  table.published = device::PublishedRows{};
  fit_table(convolution, table, table_multiprocessors);
  const OpModel model(convolution, table, table_multiprocessors);
  const auto covers = [&](double kernel, double stride) {
    return model.covers(std::vector<double>{8.0, 784.0, 32.0, 32.0, 1.0, kernel, stride});
  };
  EXPECT_TRUE(covers(9.0, 1.0));
  EXPECT_TRUE(covers(7.0, 1.0));
  EXPECT_TRUE(covers(16.0, 1.0));
  EXPECT_FALSE(covers(1.0, 1.0));
  EXPECT_FALSE(covers(25.0, 1.0));
  EXPECT_FALSE(covers(9.0, 4.0));
  table.published.reset();
  const OpModel probed(convolution, table, table_multiprocessors);
  EXPECT_TRUE(probed.covers(std::vector<double>{8.0, 784.0, 32.0, 32.0, 1.0, 1.0, 1.0}));
}

// Files of older versions have no lengths and costs of features; other counts belong to no model.
TEST(OpModel, ParametersOfAlignmentMayBeMissing) {
  device::OpTable table = fitted(made_up_rows(60, {14.0, 10.0}, by_work));
  ASSERT_EQ(table.lengths.size(), 3U);
  table.lengths.pop_back();
  table.curve.pop_back();
  const OpModel model(kind, table, table_multiprocessors);
  EXPECT_NEAR(model.estimate(table.rows[5].sizes).time_s / table.rows[5].time_s, 1.0, 0.1);
  table.curve.pop_back();
  EXPECT_THROW(OpModel(kind, table, table_multiprocessors), Error);
}

// 40 doublings away from every row.
TEST(OpModel, FarAwayIsTheCurveAndKnowsIt) {
  device::OpTable table = fitted(made_up_rows(60, {14.0, 10.0}, wavy));
  table.lengths = {1.0, 1.0, 1.0};
  const OpModel model(kind, table, table_multiprocessors);
  const OpCurve curve(shape_of_kind(kind), table.curve, table_multiprocessors);
  const std::vector<double> far = {std::exp2(54.0), 1.0};
  const OpModel::Estimate estimate = model.estimate(far);
  EXPECT_NEAR(estimate.time_s / curve.time(far), 1.0, 1e-9);
  EXPECT_NEAR(estimate.deviation, std::hypot(table.amplitude, table.noise), 1e-9);
  EXPECT_GT(estimate.distance, 30.0);
  // Half-way there it knows less than at a row and more than out there.
  const std::vector<double> row = table.rows.front().sizes;
  const std::vector<double> near = {row[0] * 1.3, row[1] * 1.3};
  EXPECT_GT(model.estimate(near).deviation, model.estimate(row).deviation);
  EXPECT_LT(model.estimate(near).deviation, estimate.deviation);
}

TEST(OpModel, FitIsTheSameEveryTime) {
  const std::vector<device::OpRow> rows = made_up_rows(90, {14.0, 10.0}, wavy);
  const device::OpTable once = fitted(rows);
  const device::OpTable again = fitted(rows);
  EXPECT_EQ(once.curve, again.curve);
  EXPECT_EQ(once.lengths, again.lengths);
  EXPECT_EQ(once.noise, again.noise);
  EXPECT_EQ(once.amplitude, again.amplitude);
  EXPECT_EQ(once.error, again.error);
  // And once more over its own result, as `probe --refit` does.
  device::OpTable refitted = once;
  fit_table(kind, refitted, table_multiprocessors);
  EXPECT_EQ(refitted.curve, once.curve);
  EXPECT_EQ(refitted.lengths, once.lengths);
}

// The error is of whole regions left out: larger where times jump between regions than where work
// explains them.
TEST(OpModel, ErrorTellsWhatIsHardToPredict) {
  const auto jumping = [](const std::vector<double>& sizes) {
    return by_work(sizes) * (sizes[1] > 32.0 ? 3.0 : 1.0);
  };
  const device::OpTable easy = fitted(made_up_rows(100, {14.0, 10.0}, by_work));
  const device::OpTable hard = fitted(made_up_rows(100, {14.0, 10.0}, jumping));
  EXPECT_LT(easy.error, 0.025);
  EXPECT_GT(hard.error, 0.2);
}

// Rows of 1 ms and more alone put the floor at a tenth of a millisecond and more; one that is known
// is held, and small ops are near it.
TEST(OpModel, AKnownFloorIsHeld) {
  std::vector<device::OpRow> rows;
  for (int i = 0; i < 40; ++i) {
    const std::vector<double> sizes = {std::exp2(20.0 + 0.1 * i), 1000.0};
    rows.push_back({sizes, by_work(sizes), {}});
  }
  device::OpTable free = table_of(rows);
  fit_table(kind, free, table_multiprocessors);
  EXPECT_GT(OpModel(kind, free, table_multiprocessors).floor(), 1e-4);
  device::OpTable held = table_of(rows);
  fit_table(kind, held, table_multiprocessors, 4e-6);
  const OpModel model(kind, held, table_multiprocessors);
  EXPECT_NEAR(model.floor(), 4e-6, 1e-8);
  EXPECT_NEAR(model.estimate(std::vector{1e6, 1000.0}).time_s, 4.004e-3, 1e-4);
}

TEST(OpModel, ThreeRowsMakeAModel) {
  const device::OpTable table =
      fitted({{{64.0, 64.0}, by_work({64.0, 64.0}), std::nullopt},
              {{4096.0, 128.0}, by_work({4096.0, 128.0}), std::nullopt},
              {{16384.0, 1024.0}, by_work({16384.0, 1024.0}), std::nullopt}});
  EXPECT_EQ(table.lengths.size(), 3U);
  EXPECT_GT(table.amplitude, 0.0);
  EXPECT_GT(table.noise, 0.0);
  const OpModel model(kind, table, table_multiprocessors);
  for (const device::OpRow& row : table.rows) {
    EXPECT_NEAR(model.estimate(row.sizes).time_s / row.time_s, 1.0, 0.1);
  }
  const OpModel::Estimate between = model.estimate(std::vector{8192.0, 256.0});
  EXPECT_TRUE(std::isfinite(between.time_s));
  EXPECT_GT(between.time_s, table.rows.front().time_s);
  EXPECT_LT(between.time_s, table.rows.back().time_s);
}

// All rows of one width: nothing is known of other widths but the work.
TEST(OpModel, AColumnMayBeConstant) {
  std::vector<device::OpRow> rows = made_up_rows(40, {14.0, 0.0}, by_work);
  for (device::OpRow& row : rows) {
    row.sizes[1] = 768.0;
    row.time_s = by_work(row.sizes);
  }
  const device::OpTable table = fitted(rows);
  const OpModel model(kind, table, table_multiprocessors);
  EXPECT_NEAR(model.estimate(std::vector{5000.0, 768.0}).time_s / by_work({5000.0, 768.0}), 1.0,
              0.05);
  EXPECT_NEAR(model.estimate(std::vector{5000.0, 384.0}).time_s / by_work({5000.0, 384.0}), 1.0,
              0.2);
  EXPECT_TRUE(std::isfinite(table.error));
}

// Rows of equal sizes and unequal times: the system of equations has two equal rows.
TEST(OpModel, EqualSizesGiveTheMiddle) {
  const device::OpTable table = fitted({{{64.0, 64.0}, 1.00e-5, std::nullopt},
                                        {{64.0, 64.0}, 1.10e-5, std::nullopt},
                                        {{128.0, 64.0}, 1.05e-5, std::nullopt},
                                        {{256.0, 64.0}, 1.05e-5, std::nullopt}});
  const OpModel model(kind, table, table_multiprocessors);
  const double time = model.estimate(std::vector{64.0, 64.0}).time_s;
  EXPECT_GE(time, 1.00e-5);
  EXPECT_LE(time, 1.10e-5);
}

// ---- workspace

constexpr double alive = 1e12;  // bytes in addition to a workspace

device::OpTable with_workspaces(std::vector<std::optional<double>> ratios) {
  device::OpTable table = plain_table("softmax", 1e-6, 1e-12);
  table.rows.clear();
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    // 2 x 4 bytes of 1024 rows of 64, 128, 256, ...
    const double width = 64.0 * std::exp2(static_cast<double>(i));
    const double bytes = 8.0 * 1024.0 * width;
    table.rows.push_back({{1024.0, width}, 1e-6 + bytes * 1e-12, std::nullopt});
    if (ratios[i]) table.rows.back().workspace_bytes = *ratios[i] * bytes;
  }
  return table;
}

TEST(OpModel, WorkspaceOfAMeasuredOpIsItsOwn) {
  const device::OpTable table = with_workspaces({0.0, 2.0, 0.0, 0.0, 5.0});
  const OpModel model(kind, table, table_multiprocessors);
  const auto workspace = model.workspace(std::vector{1024.0, 128.0});
  ASSERT_TRUE(workspace);
  EXPECT_DOUBLE_EQ(workspace->expected(alive), 2.0 * 8 * 1024 * 128);
  EXPECT_DOUBLE_EQ(workspace->most, 5.0 * 8 * 1024 * 128);
}

// Among ops without any, a neighbour that takes much does not decide, but has to be reckoned with.
TEST(OpModel, WorkspaceIsWhatMostNeighboursTake) {
  const device::OpTable table = with_workspaces({0.0, 0.0, 0.0, 8.0});
  const OpModel model(kind, table, table_multiprocessors);
  const auto workspace = model.workspace(std::vector{1024.0, 96.0});
  ASSERT_TRUE(workspace);
  EXPECT_DOUBLE_EQ(workspace->expected(alive), 0.0);
  EXPECT_DOUBLE_EQ(workspace->most, 8.0 * 8 * 1024 * 96);
}

TEST(OpModel, UnobservedWorkspaceIsNotZero) {
  const device::OpTable table = with_workspaces({std::nullopt, std::nullopt});
  EXPECT_FALSE(OpModel(kind, table, table_multiprocessors).workspace(std::vector{1024.0, 64.0}));
  const device::OpTable one = with_workspaces({std::nullopt, 3.0});
  const auto workspace =
      OpModel(kind, one, table_multiprocessors).workspace(std::vector{1024.0, 64.0});
  ASSERT_TRUE(workspace);
  EXPECT_DOUBLE_EQ(workspace->expected(alive), 3.0 * 8 * 1024 * 64);
}

// A 3x3 neighbour's copies of its operands do not matter to a 1x1 convolution; another batch's do.
TEST(OpModel, WorkspaceComesFromTheSameKernel) {
  const std::string conv = "conv2d.forward.tf32.nchw";
  device::OpTable table = product_table(conv, 1e-6, 1e-13, 1e-12);
  const auto row = [](double batch, double kernel, double workspace) {
    return device::OpRow{{batch, 784, 64, 64, 1, kernel, 1}, 1e-5, workspace};
  };
  table.rows = {row(32, 9, 0.0), row(1024, 1, 4.0 * (2.0 * 1024 * 784 * 64 + 64 * 64))};
  const OpModel model(conv, table, table_multiprocessors);
  const auto workspace = model.workspace(std::vector{32.0, 784.0, 64.0, 64.0, 1.0, 1.0, 1.0});
  ASSERT_TRUE(workspace);
  EXPECT_DOUBLE_EQ(workspace->expected(alive), 4.0 * (2.0 * 32 * 784 * 64 + 64 * 64));
}

// Copies are what is left without room, unless there is nothing to copy.
TEST(OpModel, WorkspaceFallsBackToCopies) {
  constexpr double copies = 4.0 * (2.0 * 32 * 784 * 64 + 64 * 64);
  for (const bool nhwc : {false, true}) {
    const std::string conv = nhwc ? "conv2d.forward.tf32.nhwc" : "conv2d.forward.tf32.nchw";
    device::OpTable table = product_table(conv, 1e-6, 1e-13, 1e-12);
    table.rows = {{{32, 784, 64, 64, 1, 1, 1}, 1e-5, 10.0 * copies}};
    const auto workspace = OpModel(conv, table, table_multiprocessors)
                               .workspace(std::vector{32.0, 784.0, 64.0, 64.0, 1.0, 1.0, 1.0});
    ASSERT_TRUE(workspace);
    EXPECT_DOUBLE_EQ(workspace->expected(alive), 10.0 * copies);
    EXPECT_DOUBLE_EQ(workspace->less, nhwc ? 0.0 : copies);
  }
}

}  // namespace
}  // namespace rooflab::predict
