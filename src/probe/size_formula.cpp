#include "size_formula.hpp"

#include <algorithm>
#include <cmath>

#include "rooflab/base/error.hpp"
#include "rooflab/base/text.hpp"

namespace rooflab::probe {
namespace {

constexpr std::string_view pixels_call = "output_pixels";
constexpr std::size_t pixels_arguments = 4;

[[noreturn]] void fail(std::string message, std::string hint) {
  throw Error(ErrorKind::input, std::move(message), std::move(hint));
}

std::size_t index_of(std::string_view name, std::span<const std::string> names) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  fail(format("unknown size '{}'", name),
       near_hint(name, names, format("sizes of this row: {}", join(names, ", "))));
}

/// Pixels of the result of a convolution over a square image: PyTorch's formula (nn.Conv2d) without
/// dilation, squared.
double output_pixels(double size, double kernel, double stride, double padding) {
  if (stride < 1.0) return 0.0;
  const double extent = std::floor((size + 2.0 * padding - kernel) / stride) + 1.0;
  return extent < 1.0 ? 0.0 : extent * extent;
}

}  // namespace

SizeFormula SizeFormula::parse(std::string_view text, std::span<const std::string> names) {
  SizeFormula formula;
  for (const std::string& part : split(text, '*')) {
    const std::string_view term = trim(part);
    if (term.empty()) {
      fail(format("'{}' is not a product", text),
           "numbers and names with * between, and output_pixels(size, kernel, stride, padding)");
    }
    Factor factor;
    if (const std::optional<double> number = parse_number(term)) {
      factor.number = *number;
    } else if (const std::size_t open = term.find('('); open == std::string_view::npos) {
      factor.names.push_back(index_of(term, names));
    } else {
      const std::string_view call = trim(term.substr(0, open));
      if (call != pixels_call || !term.ends_with(')')) {
        fail(format("'{}' is not known here", term),
             "the one function is output_pixels(size, kernel, stride, padding)");
      }
      for (const std::string& name : split(term.substr(open + 1, term.size() - open - 2), ',')) {
        factor.names.push_back(index_of(trim(name), names));
      }
      if (factor.names.size() != pixels_arguments) {
        fail(format("'{}' has {} arguments and takes {}", term, factor.names.size(),
                    pixels_arguments),
             "output_pixels(size, kernel, stride, padding)");
      }
    }
    formula.factors_.push_back(std::move(factor));
  }
  return formula;
}

double SizeFormula::value(std::span<const double> numbers) const {
  double product = 1.0;
  for (const Factor& factor : factors_) {
    const auto at = [&](std::size_t i) { return numbers[factor.names[i]]; };
    if (factor.names.empty()) {
      product *= factor.number;
    } else if (factor.names.size() == 1) {
      product *= at(0);
    } else {
      product *= output_pixels(at(0), at(1), at(2), at(3));
    }
  }
  return product;
}

}  // namespace rooflab::probe
