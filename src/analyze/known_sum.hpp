#pragma once

#include <cstddef>
#include <optional>

namespace rooflab::analyze {

/// A sum of a figure over the launches that have it.
class KnownSum {
 public:
  void add(const std::optional<double>& value) {
    ++launches_;
    if (!value) return;
    sum_ += static_cast<long double>(*value);
    ++known_;
  }
  /// nullopt when no launch has the figure.
  [[nodiscard]] std::optional<double> value() const {
    return known_ == 0 ? std::nullopt : std::optional(static_cast<double>(sum_));
  }
  /// The same, but nullopt when one launch lacks the figure.
  [[nodiscard]] std::optional<double> whole() const {
    return known_ < launches_ ? std::nullopt : value();
  }
  /// Launches that have the figure.
  [[nodiscard]] std::size_t known() const { return known_; }

 private:
  long double sum_ = 0.0L;
  std::size_t known_ = 0;
  std::size_t launches_ = 0;
};

}  // namespace rooflab::analyze
