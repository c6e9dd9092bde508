#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "rooflab/device/calibration.hpp"
#include "rooflab/device/catalog.hpp"

namespace rooflab::device {
namespace {

using Basis = SustainedRatio::Basis;

constexpr ArithmeticPath bf16 = ArithmeticPath::bf16_tensor_fp32;

SustainedRatio ratio_of(std::string_view name, ArithmeticPath path) {
  return sustained_ratio(Catalog::built_in().find(name), path).value();
}

TEST(SustainedRatio, IsTheFigureWhereThereIsOne) {
  const SustainedRatio t4 = ratio_of("t4", ArithmeticPath::fp32_vector);
  EXPECT_DOUBLE_EQ(t4.value, 800.0 / 1590.0);
  EXPECT_EQ(t4.basis, Basis::figure);
  EXPECT_DOUBLE_EQ(t4.deviation, 0.03);
  EXPECT_DOUBLE_EQ(ratio_of("v100-pcie-32gb", ArithmeticPath::fp32_vector).value, 1.0);
}

TEST(SustainedRatio, TakesTheLibrarysEfficiencyOffATensorRate) {
  const SustainedRatio h200 = ratio_of("h200", bf16);
  EXPECT_NEAR(h200.value, 0.7341, 5e-5);  // 690 / (0.95 * 989.4)
  EXPECT_EQ(h200.basis, Basis::figure);
  EXPECT_DOUBLE_EQ(h200.deviation, 0.10);
  // 297 / (0.95 * 312) is above 1: an A100 SXM is not capped.
  EXPECT_DOUBLE_EQ(ratio_of("a100-sxm4-80gb", bf16).value, 1.0);
}

TEST(SustainedRatio, OfOneTensorPathStandsForTheOthers) {
  // Measured: 345.3 of 494.7 TFLOP/s in TF32, 345.3 / (0.95 * 494.7) = 0.7347.
  EXPECT_NEAR(ratio_of("h200", ArithmeticPath::tf32_tensor).value, 0.7347, 0.001);
  EXPECT_EQ(ratio_of("h200", ArithmeticPath::tf32_tensor).basis, Basis::figure);
  EXPECT_DOUBLE_EQ(ratio_of("h200", ArithmeticPath::fp64_tensor).value, 1.0);
}

TEST(SustainedRatio, FollowsTheBaseClockOnVectorLanes) {
  const SustainedRatio a10 = ratio_of("a10", ArithmeticPath::fp32_vector);
  EXPECT_NEAR(a10.value, 0.7884, 5e-5);  // 1.51 * 885 / 1695
  EXPECT_EQ(a10.basis, Basis::rule);
  EXPECT_DOUBLE_EQ(a10.deviation, 0.13);
  EXPECT_DOUBLE_EQ(ratio_of("rtx-3090", ArithmeticPath::fp32_vector).value, 1.0);
}

// One chip on three boards: 0.36 of the clock promised and 0.78 seen in tensor products (1675 /
// (0.95 * 2250)), no promise and 0.80 seen, 0.82 promised and 0.90 seen. 1.51 times each is
// above 1.
TEST(SustainedRatio, ATensorFigureIsTheWorstCaseOfVectorLanes) {
  for (const char* const board : {"b200", "gb200", "b300-sxm"}) {
    EXPECT_DOUBLE_EQ(ratio_of(board, ArithmeticPath::fp32_vector).value, 1.0) << board;
  }
  Device board = Catalog::built_in().find("b200");
  board.sustained.at(bf16).value = 0.95 * 0.5 * 2250e12;
  EXPECT_NEAR(sustained_ratio(board)->value, 1.51 * 0.5, 1e-9);
  board.sustained.clear();
  EXPECT_NEAR(sustained_ratio(board)->value, 1.51 * 700.0 / 1965.0, 1e-9);
}

TEST(SustainedRatio, FollowsTheWattsOfAFlopOnTensorCores) {
  const SustainedRatio h100 = ratio_of("h100-pcie", bf16);
  EXPECT_NEAR(h100.value, 0.7972, 5e-5);  // 0.93 * (350 / 756)^0.2
  EXPECT_EQ(h100.basis, Basis::rule);
  EXPECT_DOUBLE_EQ(h100.deviation, 0.11);
  // 0.93 * (70 / 65)^0.2 = 0.944, but a T4's vector lanes keep 800 of 1590 MHz.
  const SustainedRatio t4 = ratio_of("t4", ArithmeticPath::fp16_tensor_fp32);
  EXPECT_DOUBLE_EQ(t4.value, 800.0 / 1590.0);
  EXPECT_EQ(t4.basis, Basis::rule);
}

TEST(SustainedRatio, IsUnknownWithoutFiguresAndRule) {
  EXPECT_EQ(sustained_ratio(Catalog::built_in().find("mi300x")), std::nullopt);
  EXPECT_EQ(sustained_ratio(Catalog::built_in().find("mi300x"), bf16), std::nullopt);
  EXPECT_EQ(sustained_ratio(Device{.vendor = "NVIDIA"}), std::nullopt);
  EXPECT_EQ(sustained_ratio(Device{.vendor = "NVIDIA"}, bf16), std::nullopt);
}

TEST(SustainedRatio, IsAShareOfEveryDevice) {
  for (const Device& device : Catalog::built_in().devices()) {
    for (const ArithmeticPath path : values_of<ArithmeticPath>) {
      const std::optional<SustainedRatio> ratio = sustained_ratio(device, path);
      if (!ratio) continue;
      EXPECT_GT(ratio->value, 0.3) << device.id;
      EXPECT_LE(ratio->value, 1.0) << device.id;
      EXPECT_GT(ratio->deviation, 0.0) << device.id;
    }
  }
}

/// A device with a figure: what the rule sees of it, and its share.
struct Known {
  double seen;
  double share;
};

/// Two constants of a rule min(1, factor * seen^exponent).
struct Constants {
  double factor;
  double exponent;
};

double log_error(const Constants& constants, const Known& known) {
  const double rule = constants.factor * std::pow(known.seen, constants.exponent);
  return std::log(std::min(1.0, rule) / known.share);
}

/// Least squares by trying a grid: the clamp at 1 makes the error not smooth.
Constants fit(const std::vector<Known>& devices, const std::vector<double>& exponents) {
  Constants best{};
  double least = std::numeric_limits<double>::infinity();
  for (const double exponent : exponents) {
    for (int i = 500; i <= 2500; i += 5) {
      const Constants tried{i / 1000.0, exponent};
      double error = 0.0;
      for (const Known& known : devices) error += std::pow(log_error(tried, known), 2);
      if (error < least) {
        least = error;
        best = tried;
      }
    }
  }
  return best;
}

double left_out_error(const std::vector<Known>& devices, const std::vector<double>& exponents) {
  double sum = 0.0;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    std::vector<Known> others = devices;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    sum += std::pow(log_error(fit(others, exponents), devices[i]), 2);
  }
  return std::sqrt(sum / static_cast<double>(devices.size()));
}

TEST(SustainedRatio, VectorRuleIsTheFitToTheCatalog) {
  std::vector<Known> known;
  for (const Device& device : Catalog::built_in().devices()) {
    if (!device.sustained_clock) continue;
    const double boost = device.boost_clock.value().value;
    known.push_back({device.base_clock.value().value / boost, sustained_ratio(device)->value});
  }
  EXPECT_EQ(known.size(), 8U);
  EXPECT_NEAR(fit(known, {1.0}).factor, 1.51, 0.01);
  EXPECT_NEAR(left_out_error(known, {1.0}), 0.126, 0.002);
}

TEST(SustainedRatio, TensorRuleIsTheFitToTheCatalog) {
  std::vector<Known> known;
  for (const Device& device : Catalog::built_in().devices()) {
    if (!device.sustained.contains(bf16)) continue;
    const double tflops = peak(device, bf16).value() / 1e12;
    known.push_back({device.tdp.value().value / tflops, sustained_ratio(device, bf16)->value});
  }
  EXPECT_EQ(known.size(), 7U);
  std::vector<double> exponents;
  for (int i = 0; i <= 60; i += 2) exponents.push_back(i / 100.0);
  EXPECT_NEAR(fit(known, exponents).factor, 0.93, 0.01);
  EXPECT_NEAR(fit(known, exponents).exponent, 0.2, 0.021);
  EXPECT_NEAR(left_out_error(known, exponents), 0.109, 0.002);
}

}  // namespace
}  // namespace rooflab::device
