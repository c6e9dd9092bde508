#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rooflab::study {

/// A unit as a product of symbols over another: `FLOP/s` is FLOP over s. Equal symbols in numerator
/// and denominator cancel.
class UnitProduct {
 public:
  UnitProduct() = default;
  explicit UnitProduct(std::string_view symbol);

  UnitProduct& operator*=(const UnitProduct& other);
  UnitProduct& operator/=(const UnitProduct& other);

  /// Text such as `FLOP/s`, `1/s`, `B s`; empty: no unit.
  [[nodiscard]] std::string symbol() const;

  friend bool operator==(const UnitProduct&, const UnitProduct&) = default;

 private:
  void cancel();

  std::vector<std::string> above_;
  std::vector<std::string> below_;
};

}  // namespace rooflab::study
