#include "size_formula.hpp"

#include <algorithm>
#include <cmath>

#include "base/format.hpp"
#include "rooflab/base/error.hpp"

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

/// Where the next of the signs outside brackets is.
std::size_t next_sign(std::string_view text, std::string_view signs) {
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')') --depth;
    if (depth == 0 && signs.find(text[i]) != std::string_view::npos) return i;
  }
  return text.size();
}

}  // namespace

SizeFormula::Factor SizeFormula::parse_factor(std::string_view term, std::string_view formula,
                                              std::span<const std::string> names) {
  if (term.empty()) {
    fail(format("'{}' is not a sum of products", formula),
         "numbers and names with *, / and + between, and output_pixels(size, kernel, stride, "
         "padding)");
  }
  Factor factor;
  if (const std::optional<double> number = parse_number(term)) {
    factor.number = *number;
    return factor;
  }
  const std::size_t open = term.find('(');
  if (open == std::string_view::npos) {
    factor.names.push_back(index_of(term, names));
    return factor;
  }
  const std::string_view call = trim(term.substr(0, open));
  if (call != pixels_call || !term.ends_with(')')) {
    fail(format("'{}' is not known here", term),
         "the one function is output_pixels(size, kernel, stride, padding)");
  }
  for (const std::string& name : split(term.substr(open + 1, term.size() - open - 2), ',')) {
    factor.names.push_back(index_of(trim(name), names));
  }
  if (factor.names.size() != pixels_arguments) {
    fail(format("'{}' has {} arguments and takes {}", term, factor.names.size(), pixels_arguments),
         "output_pixels(size, kernel, stride, padding)");
  }
  return factor;
}

SizeFormula SizeFormula::parse(std::string_view text, std::span<const std::string> names) {
  SizeFormula formula;
  formula.products_.emplace_back();
  bool divides = false;
  for (std::string_view rest = text;;) {
    const std::size_t end = next_sign(rest, "*/+");
    Factor factor = parse_factor(trim(rest.substr(0, end)), text, names);
    factor.divides = divides;
    formula.products_.back().push_back(std::move(factor));
    if (end == rest.size()) return formula;
    divides = rest[end] == '/';
    if (rest[end] == '+') formula.products_.emplace_back();
    rest = rest.substr(end + 1);
  }
}

double SizeFormula::value(std::span<const double> numbers) const {
  double sum = 0.0;
  for (const Product& product : products_) {
    double result = 1.0;
    for (const Factor& factor : product) {
      const auto at = [&](std::size_t i) { return numbers[factor.names[i]]; };
      double value = factor.number;
      if (factor.names.size() == 1) value = at(0);
      if (factor.names.size() > 1) value = output_pixels(at(0), at(1), at(2), at(3));
      if (factor.divides) {
        result /= value;
      } else {
        result *= value;
      }
    }
    sum += result;
  }
  return sum;
}

}  // namespace rooflab::probe
