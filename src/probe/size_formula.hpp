#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace rooflab::probe {

/// A size of an op from the numbers of a table's row: a sum of products and quotients of numbers,
/// names and `output_pixels(size, kernel, stride, padding)`.
///
///     const SizeFormula rows = SizeFormula::parse("batch * tokens", {"batch", "tokens", "in"});
///     rows.value(std::vector{8.0, 512.0, 768.0});  // 4096
class SizeFormula {
 public:
  /// Parses a formula. Throws Error (input) without a place for wrong syntax and for a name that is
  /// not in `names`.
  [[nodiscard]] static SizeFormula parse(std::string_view text, std::span<const std::string> names);

  /// Value for `numbers` in the order of the names. If it is not finite or below 1, the numbers
  /// give no op.
  [[nodiscard]] double value(std::span<const double> numbers) const;

 private:
  /// A number, a name (`index`), or output pixels of a square image (`index` of four names).
  struct Factor {
    double number = 1.0;
    std::vector<std::size_t> names;
    bool divides = false;
  };
  using Product = std::vector<Factor>;
  static Factor parse_factor(std::string_view term, std::string_view formula,
                             std::span<const std::string> names);
  std::vector<Product> products_;
};

}  // namespace rooflab::probe
