#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace rooflab::graph {

/// Extents of a tensor, outermost first (images are N, C, H, W). Rank 0 is a scalar.
class Shape {
 public:
  Shape() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): written as {2, 3, 224, 224}
  Shape(std::initializer_list<std::int64_t> dims) : dims_(dims) {}
  explicit Shape(std::vector<std::int64_t> dims) : dims_(std::move(dims)) {}

  [[nodiscard]] std::size_t rank() const { return dims_.size(); }
  [[nodiscard]] const std::vector<std::int64_t>& dims() const { return dims_; }
  [[nodiscard]] std::int64_t operator[](std::size_t axis) const { return dims_[axis]; }
  [[nodiscard]] std::int64_t& operator[](std::size_t axis) { return dims_[axis]; }

  /// Extent counted from the end: from_end(1) is the innermost.
  [[nodiscard]] std::int64_t from_end(std::size_t distance) const {
    return dims_[dims_.size() - distance];
  }

  /// Number of elements; 1 for a scalar. Throws Error (input) beyond 64 bits.
  [[nodiscard]] std::int64_t elements() const;

  /// Text such as `256x3x224x224`; `scalar` for rank 0.
  [[nodiscard]] std::string to_string() const;

  friend bool operator==(const Shape&, const Shape&) = default;

 private:
  std::vector<std::int64_t> dims_;
};

/// Shape of an elementwise result: extents match from the end or are 1 (NumPy's broadcasting).
/// Throws Error (input) when they do not.
[[nodiscard]] Shape broadcast(const Shape& a, const Shape& b);

}  // namespace rooflab::graph
