// Against published tables: Abramowitz and Stegun, "Handbook of Mathematical Functions", tables
// 26.1 (normal), 26.8 (chi-square) and 26.10 (Student), and where a distribution has a closed form.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "rooflab/base/statistics.hpp"

namespace rooflab {
namespace {

TEST(NormalQuantile, AgreesWithTheTable) {
  EXPECT_NEAR(normal_quantile(0.975), 1.959963985, 1e-9);
  EXPECT_NEAR(normal_quantile(0.95), 1.644853627, 1e-9);
  EXPECT_NEAR(normal_quantile(0.995), 2.575829304, 1e-9);
  EXPECT_NEAR(normal_quantile(0.5), 0.0, 1e-15);
  EXPECT_NEAR(normal_quantile(1e-9), -5.997807015, 1e-8);
}

TEST(ChiSquareQuantile, AgreesWithTheTable) {
  EXPECT_NEAR(chi_square_quantile(0.95, 4), 9.48773, 5e-6);
  EXPECT_NEAR(chi_square_quantile(0.975, 4), 11.1433, 5e-5);
  EXPECT_NEAR(chi_square_quantile(0.025, 4), 0.484419, 5e-7);
  EXPECT_NEAR(chi_square_quantile(0.95, 1), 3.84146, 5e-6);
  EXPECT_NEAR(chi_square_quantile(0.025, 1), 0.000982069, 5e-10);
  EXPECT_NEAR(chi_square_quantile(0.99, 10), 23.2093, 5e-5);
  EXPECT_NEAR(chi_square_quantile(0.95, 30), 43.7729, 5e-4);
  EXPECT_NEAR(chi_square_quantile(0.975, 100), 129.561, 5e-4);
}

TEST(ChiSquareCdf, HasAClosedFormForTwoDegrees) {
  for (const double x : {0.01, 0.5, 1.0, 3.9, 4.1, 10.0, 50.0}) {
    EXPECT_NEAR(chi_square_cdf(x, 2), 1.0 - std::exp(-x / 2.0), 1e-14) << x;
  }
  EXPECT_EQ(chi_square_cdf(0.0, 3), 0.0);
  EXPECT_EQ(chi_square_cdf(-1.0, 3), 0.0);
}

TEST(ChiSquareCdf, OfOneDegreeIsASquaredNormal) {
  for (const double x : {0.1, 1.0, 3.84, 12.0}) {
    EXPECT_NEAR(chi_square_cdf(x, 1), std::erf(std::sqrt(x / 2.0)), 1e-13) << x;
  }
}

TEST(ChiSquareCdf, OfManyDegreesIsNearlyNormal) {
  // Wilson and Hilferty: (x / k)^(1/3) is normal with mean 1 - 2 / 9k and variance 2 / 9k.
  const double k = 100000.0;
  const double z = 1.959963985;
  const double root = 1.0 - 2.0 / (9.0 * k) + z * std::sqrt(2.0 / (9.0 * k));
  EXPECT_NEAR(chi_square_cdf(k * root * root * root, k), 0.975, 1e-5);
}

TEST(StudentQuantile, AgreesWithTheTable) {
  EXPECT_NEAR(student_t_quantile(0.975, 4), 2.776, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 1), 12.706, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 2), 4.303, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.95, 9), 1.833, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.995, 20), 2.845, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.975, 120), 1.980, 5e-4);
  EXPECT_NEAR(student_t_quantile(0.025, 4), -student_t_quantile(0.975, 4), 1e-12);
  EXPECT_NEAR(student_t_quantile(0.5, 4), 0.0, 1e-9);
}

TEST(StudentCdf, HasClosedFormsForOneAndTwoDegrees) {
  for (const double t : {-30.0, -2.0, -0.3, 0.0, 1.0, 5.0, 100.0}) {
    EXPECT_NEAR(student_t_cdf(t, 1), 0.5 + std::atan(t) / std::numbers::pi, 1e-13) << t;
    EXPECT_NEAR(student_t_cdf(t, 2), 0.5 + t / (2.0 * std::sqrt(2.0 + t * t)), 1e-13) << t;
  }
}

TEST(StudentQuantile, OfManyDegreesIsTheNormalOne) {
  EXPECT_NEAR(student_t_quantile(0.975, 1e6), normal_quantile(0.975), 1e-5);
}

TEST(Quantiles, UndoTheirDistributions) {
  for (const double p : {0.001, 0.025, 0.3, 0.5, 0.8, 0.999}) {
    for (const double degrees : {1.0, 2.5, 4.0, 37.0, 1000.0}) {
      EXPECT_NEAR(chi_square_cdf(chi_square_quantile(p, degrees), degrees), p, 1e-11);
      EXPECT_NEAR(student_t_cdf(student_t_quantile(p, degrees), degrees), p, 1e-11);
    }
  }
}

}  // namespace
}  // namespace rooflab
