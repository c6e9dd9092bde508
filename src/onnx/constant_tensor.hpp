#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model_view.hpp"
#include "rooflab/graph/graph.hpp"

namespace rooflab::onnx {

/// Type for an element type code of TensorProto; nullopt for strings, complex numbers and codes
/// that do not exist. 4-bit integers become 8-bit ones: types smaller than a byte are not modelled.
[[nodiscard]] std::optional<DType> dtype_of(std::int32_t element_type);

/// The value of a small tensor during import, in row-major order: integers (and booleans as 0 and
/// 1) in `integers`, floating numbers in `numbers`.
struct ConstantTensor {
  graph::TensorType type;
  std::vector<std::int64_t> integers;
  std::vector<double> numbers;

  [[nodiscard]] bool floating() const { return is_floating(type.dtype); }
  [[nodiscard]] std::size_t size() const { return floating() ? numbers.size() : integers.size(); }

  [[nodiscard]] double number(std::size_t i) const {
    return floating() ? numbers[i] : static_cast<double>(integers[i]);
  }
  /// Element `i` truncated towards zero and clamped to 64 bits; NaN gives 0.
  [[nodiscard]] std::int64_t integer(std::size_t i) const;
  [[nodiscard]] std::vector<std::int64_t> as_integers() const;
  [[nodiscard]] std::vector<double> as_numbers() const;

  /// Appends a value, wrapped or rounded to the tensor's type.
  void push(double value);
  void push(std::int64_t value);
  /// Appends element `i` of a tensor.
  void push_element(const ConstantTensor& from, std::size_t i);

  [[nodiscard]] static ConstantTensor of(std::vector<std::int64_t> values);  ///< i64, rank 1
  [[nodiscard]] static ConstantTensor scalar(std::int64_t value);            ///< i64, rank 0
  [[nodiscard]] static ConstantTensor empty(graph::TensorType type);         ///< to be pushed to
  /// A tensor with one number in every element.
  [[nodiscard]] static ConstantTensor filled(graph::TensorType type, std::int64_t value);
};

/// Reads a tensor's data; nullopt when the file has none, it has more than
/// max_folded_elements (integers: max_read_integers) or fewer elements than its extents say.
[[nodiscard]] std::optional<ConstantTensor> read_tensor(const TensorView& view,
                                                        const graph::TensorType& type);

/// Reads all elements of dense little-endian data of this type, without a limit; nullopt for a type
/// that is not computed with. `dense` must have the length of the type.
[[nodiscard]] std::optional<ConstantTensor> tensor_of_bytes(std::string_view dense,
                                                            const graph::TensorType& type);

/// The elements as dense little-endian data of the tensor's type; 16-bit floats are rounded to the
/// nearest, ties to even.
[[nodiscard]] std::string dense_bytes(const ConstantTensor& tensor);

/// Row-major strides of a shape.
[[nodiscard]] std::vector<std::int64_t> strides_of(const graph::Shape& shape);

/// Counts through all positions of a shape in row-major order.
class Positions {
 public:
  explicit Positions(const graph::Shape& shape) : shape_(shape), index_(shape.rank(), 0) {}
  [[nodiscard]] std::span<const std::int64_t> index() const { return index_; }
  void advance();

 private:
  const graph::Shape& shape_;
  std::vector<std::int64_t> index_;
};

}  // namespace rooflab::onnx
