#include "probe/size_formula.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "../base/thrown_error.hpp"
#include "base/format.hpp"

namespace rooflab::probe {
namespace {

const std::vector<std::string> size_names = {"batch", "size", "kernel", "stride", "padding"};

double value_of(std::string_view text, std::vector<double> numbers) {
  return SizeFormula::parse(text, size_names).value(numbers);
}

TEST(SizeFormula, MultipliesNamesAndNumbers) {
  EXPECT_EQ(value_of("1", {8, 224, 7, 2, 3}), 1.0);
  EXPECT_EQ(value_of("batch", {8, 224, 7, 2, 3}), 8.0);
  EXPECT_EQ(value_of(" kernel * kernel * 2", {8, 224, 7, 2, 3}), 98.0);
}

TEST(SizeFormula, AddsProductsAndQuotients) {
  EXPECT_EQ(value_of("size + 1", {8, 224, 7, 2, 3}), 225.0);
  EXPECT_EQ(value_of("size / kernel", {8, 224, 7, 2, 3}), 32.0);
  EXPECT_EQ(value_of("size / kernel * stride + batch * 2 + padding", {8, 224, 7, 2, 3}), 83.0);
  // An image without pixels makes no op: not finite.
  EXPECT_FALSE(std::isfinite(value_of("batch / stride", {8, 224, 7, 0, 3})));
}

// The first convolution of ResNet makes 112 x 112 of 224 x 224; AlexNet's, 11 x 11 by 4 with 2
// around, makes 55 x 55; a kernel larger than the image makes nothing.
TEST(SizeFormula, CountsTheOutputOfAConvolution) {
  const std::string_view formula = "output_pixels(size, kernel, stride, padding)";
  EXPECT_EQ(value_of(formula, {8, 224, 7, 2, 3}), 112.0 * 112.0);
  EXPECT_EQ(value_of(formula, {8, 224, 11, 4, 2}), 55.0 * 55.0);
  EXPECT_EQ(value_of(formula, {8, 2, 5, 1, 1}), 0.0);
  EXPECT_EQ(value_of(formula, {8, 224, 7, 0, 3}), 0.0);
}

TEST(SizeFormula, WrongFormulasSayWhatTheyTake) {
  const auto message = [](std::string_view text) {
    const Error error =
        thrown_error(ErrorKind::input, [&] { return SizeFormula::parse(text, size_names); });
    return format("{} | {}", error.what(), error.hint());
  };
  EXPECT_EQ(message("batch * sise"), "unknown size 'sise' | did you mean 'size'?");
  EXPECT_EQ(message("batch *"),
            "'batch *' is not a sum of products | numbers and names with *, / and + between, and "
            "output_pixels(size, kernel, stride, padding)");
  EXPECT_EQ(message("sqrt(size)"),
            "'sqrt(size)' is not known here | the one function is "
            "output_pixels(size, kernel, stride, padding)");
  EXPECT_EQ(message("output_pixels(size, kernel)"),
            "'output_pixels(size, kernel)' has 2 arguments and takes 4 | "
            "output_pixels(size, kernel, stride, padding)");
}

}  // namespace
}  // namespace rooflab::probe
