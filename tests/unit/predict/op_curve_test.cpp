// Rows that are made up from known parameters: the curve must find them again.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "op_tables.hpp"
#include "rooflab/predict/op_model.hpp"

namespace rooflab::predict {
namespace {

const OpShape relu_kind = shape_of_kind("relu.forward.f32");
const OpShape softmax_kind = shape_of_kind("softmax.forward.f32");
const OpShape linear_kind = shape_of_kind("linear.forward.fp32");

/// 5 us, 3 TB/s.
double relu_time(const std::vector<double>& sizes) { return 5e-6 + 8.0 * sizes[0] / 3e12; }

/// 4 us, 2 TB/s, 0.2 ns a row: read and write 4 bytes an element.
double softmax_time(const std::vector<double>& sizes) {
  return 4e-6 + 8.0 * sizes[0] * sizes[1] / 2e12 + 2e-10 * sizes[0];
}

/// The formula at the head of op_curve.cpp with half-points of 64, 32 and 50 and whole waves.
double linear_time(const std::vector<double>& sizes) {
  const double m = sizes[0];
  const double k = sizes[1];
  const double n = sizes[2];
  const double tiles = m / 128.0 * std::max(1.0, n / 64.0);
  const double idle = (1.0 + 64.0 / k) * (1.0 + 32.0 / n) * (1.0 + 50.0 / tiles);
  const double waves = std::ceil(m / 128.0) * std::ceil(n / 128.0) / table_multiprocessors;
  const double bytes = 4.0 * (m * k + k * n + m * n);
  return 6e-6 + 2.0 * m * n * k / 50e12 * idle * std::sqrt(std::ceil(waves) / waves) + bytes / 4e12;
}

/// Root of the mean square of log(curve / truth) over other shapes than the rows'.
double curve_error(const OpShape& kind, const std::vector<double>& parameters,
                   const std::vector<double>& most_log2,
                   double (*time)(const std::vector<double>&)) {
  const OpCurve curve(kind, parameters, table_multiprocessors);
  double square = 0.0;
  const std::vector<device::OpRow> asked = made_up_rows(57, most_log2, time);
  for (const device::OpRow& row : asked) {
    square += std::pow(std::log(curve.time(row.sizes) / row.time_s), 2.0);
  }
  return std::sqrt(square / static_cast<double>(asked.size()));
}

TEST(OpCurve, FindsWhatElementwiseRowsWereMadeFrom) {
  const std::vector<device::OpRow> rows = made_up_rows(60, {28.0}, relu_time);
  const std::vector<double> found = OpCurve::fit(relu_kind, rows, table_multiprocessors);
  EXPECT_LT(curve_error(relu_kind, found, {27.0}, relu_time), 0.01);
  EXPECT_NEAR(OpCurve(relu_kind, found, table_multiprocessors).floor(), 5e-6, 0.05e-6);
}

TEST(OpCurve, FindsWhatARowCosts) {
  const std::vector<device::OpRow> rows = made_up_rows(200, {16.0, 10.0}, softmax_time);
  const std::vector<double> found = OpCurve::fit(softmax_kind, rows, table_multiprocessors);
  EXPECT_LT(curve_error(softmax_kind, found, {15.0, 9.0}, softmax_time), 0.01);
}

TEST(OpCurve, FindsWhereProductsAreTooSmall) {
  const std::vector<device::OpRow> rows = made_up_rows(400, {17.0, 12.0, 12.0}, linear_time);
  const std::vector<double> found = OpCurve::fit(linear_kind, rows, table_multiprocessors);
  EXPECT_LT(curve_error(linear_kind, found, {16.0, 11.0, 11.0}, linear_time), 0.01);
}

/// 8 us, 2 us for each step of each layer, 40 TFLOP/s where a step's tiles fill half of the device.
double lstm_time(const std::vector<double>& sizes) {
  OpShape shape = shape_of_kind("lstm.forward.fp32");
  shape.sizes = sizes;
  const double tiles = sizes[5] * sizes[0] / 128.0 * std::max(1.0, 4.0 * sizes[3] / 64.0);
  return 8e-6 + 2e-6 * sizes[1] * sizes[4] +
         work_of(shape).matrix_flops / 40e12 * (1.0 + 50.0 / tiles);
}

TEST(OpCurve, FindsWhatAStepCosts) {
  const OpShape kind = shape_of_kind("lstm.forward.fp32");
  const std::vector<double> most = {8.0, 9.0, 11.0, 11.0, 2.0, 1.0};
  const std::vector<device::OpRow> rows = made_up_rows(300, most, lstm_time);
  const std::vector<double> found = OpCurve::fit(kind, rows, table_multiprocessors);
  EXPECT_EQ(found.size(), OpCurve::basic_parameters(kind) + aligned_columns_of(kind).size());
  EXPECT_LT(curve_error(kind, found, most, lstm_time), 0.1);
  // Twice the steps of small layers take nearly twice the time.
  const OpCurve curve(kind, found, table_multiprocessors);
  EXPECT_NEAR(curve.time(std::vector<double>{1, 512, 32, 32, 1, 1}) /
                  curve.time(std::vector<double>{1, 256, 32, 32, 1, 1}),
              2.0, 0.1);
}

// Every tenth row took another algorithm, three times slower: least squares of logarithms would
// lift the curve by a tenth of log 3, which is 12 %.
TEST(OpCurve, IsNotBentByATenthOfOutliers) {
  std::vector<device::OpRow> rows = made_up_rows(200, {16.0, 10.0}, softmax_time);
  for (std::size_t i = 0; i < rows.size(); i += 10) rows[i].time_s *= 3.0;
  const std::vector<double> found = OpCurve::fit(softmax_kind, rows, table_multiprocessors);
  EXPECT_LT(curve_error(softmax_kind, found, {15.0, 9.0}, softmax_time), 0.06);
}

// Whatever the rows say, more rows of a product, or more elements, never take less time; within a
// wave time may stand still.
TEST(OpCurve, GrowsWithTheWork) {
  for (const std::string_view kind : {"relu.forward.f32", "softmax.backward.bf16",
                                      "sum.forward.f32", "max_pool.forward.f32.nchw"}) {
    const OpShape shape = shape_of_kind(kind);
    const std::vector<double> most(columns_of(shape.op).size(), 6.0);
    const auto noisy = [](const std::vector<double>& sizes) {
      return 1e-5 * (2.0 + std::sin(sizes[0])) + 1e-9 * sizes[0];
    };
    const std::vector<device::OpRow> rows = made_up_rows(40, most, noisy);
    const OpCurve curve(shape, OpCurve::fit(shape, rows, table_multiprocessors),
                        table_multiprocessors);
    for (std::size_t j = 0; j < most.size(); ++j) {
      std::vector<double> sizes(most.size(), 8.0);
      double before = 0.0;
      for (double size = 1.0; size < 1e6; size *= 1.5) {
        sizes[j] = size;
        const double time = curve.time(sizes);
        EXPECT_GE(time, before) << kind << ", column " << j << " = " << size;
        before = time;
      }
      EXPECT_GT(before, curve.floor());
    }
  }
  const std::vector<device::OpRow> rows = made_up_rows(100, {17.0, 12.0, 12.0}, linear_time);
  const OpCurve curve(linear_kind, OpCurve::fit(linear_kind, rows, table_multiprocessors),
                      table_multiprocessors);
  double before = 0.0;
  for (double inner = 1.0; inner < 1e5; inner *= 1.5) {
    const double time = curve.time(std::vector{1000.0, inner, 500.0});
    EXPECT_GE(time, before);
    before = time;
  }
}

// The roles of the three extents turn with the pass: what is too small as the inner extent of the
// forward product is the width of the data gradient's, and the rows of the weight gradient's.
TEST(OpCurve, AGradientIsAProductOfTurnedExtents) {
  const double small_inner = 64.0;
  std::vector<double> p = {std::log(1e-12), std::log(1e-14), std::log(1e-30), std::log(small_inner),
                           -200.0,          -200.0,          -200.0};
  const auto time = [&](std::string_view kind, std::vector<double> sizes) {
    return OpCurve(shape_of_kind(kind), p, 1.0).time(sizes);
  };
  // rows, in_features, out_features; 2 * 2^30 FLOPs, times 1 + 64 / K.
  const std::vector<double> sizes = {4096.0, 256.0, 1024.0};
  const double flops_s = 2.0 * 4096.0 * 256.0 * 1024.0 * 1e-14;
  EXPECT_NEAR(time("linear.forward.fp32", sizes) / flops_s, 1.0 + 64.0 / 256.0, 1e-3);
  EXPECT_NEAR(time("linear.data_gradient.fp32", sizes) / flops_s, 1.0 + 64.0 / 1024.0, 1e-3);
  EXPECT_NEAR(time("linear.weight_gradient.fp32", sizes) / flops_s, 1.0 + 64.0 / 4096.0, 1e-3);
  // A convolution's inner extent is channels times kernel, for each group.
  const std::vector<double> conv = {16.0, 256.0, 32.0, 1024.0, 2.0, 9.0, 1.0};
  const double conv_s = 2.0 * 16.0 * 256.0 * 32.0 * 1024.0 * 2.0 * 9.0 * 1e-14;
  EXPECT_NEAR(time("conv2d_grouped.forward.fp32.nchw", conv) / conv_s, 1.0 + 64.0 / 288.0, 1e-3);
}

TEST(OpCurve, OneRowIsEnough) {
  const std::vector<device::OpRow> rows = {{{1e6}, 1e-5, std::nullopt}};
  const OpCurve curve(relu_kind, OpCurve::fit(relu_kind, rows, table_multiprocessors),
                      table_multiprocessors);
  EXPECT_NEAR(curve.time(std::vector{1e6}), 1e-5, 0.5e-5);
}

}  // namespace
}  // namespace rooflab::predict
